// accesses_only_its_object() must agree with accesses().
#include <gtest/gtest.h>

#include "model/operation.hpp"

namespace lockstep {
namespace {

bool only_object(Operation op) {
  for (const Access& a : accesses(op))
    if (a.object != op.object) return false;
  return true;
}

TEST(AccessesOnlyItsObject, AgreesWithTheAccesses) {
  for (int k = 0; k < static_cast<int>(OpKind::kCount); ++k)
    for (const bool timed_out : {false, true}) {
      const Operation op{.thread = ThreadId{1},
                         .kind = static_cast<OpKind>(k),
                         .object = ObjectId{64},
                         .second = Companion::mutex(ObjectId{128}),
                         .timed_out = timed_out};
      EXPECT_TRUE(!accesses_only_its_object(op.kind) || only_object(op)) << k;
    }
}

TEST(AccessesOnlyItsObject, ControlAWaitAccessesItsMutexToo) {
  const Operation wait{.thread = ThreadId{1},
                       .kind = OpKind::CondWait,
                       .object = ObjectId{64},
                       .second = Companion::mutex(ObjectId{128})};
  EXPECT_FALSE(accesses_only_its_object(wait.kind));
  EXPECT_FALSE(only_object(wait));
}

}  // namespace
}  // namespace lockstep
