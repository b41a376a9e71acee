// The order of units: what is left of one takes its place, higher ranks come later, small ones are joined.
#include "search/base/unit_list.hpp"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

UnitPart part(uint64_t rank, const std::string& bytes, uint64_t size = 1000) { return {rank, size, bytes}; }

std::string in_order(UnitList& list) {
  std::string all;
  while (const auto first = list.take_first()) all += first->bytes;
  return all;
}

UnitList three() {
  UnitList list;
  for (const char* name : {"a", "b", "c"}) list.add(part(0, name));
  return list;
}

TEST(UnitList, WhatIsLeftTakesThePlaceOfItsUnit) {
  UnitList list = three();
  const Unit a = *list.hand_out(), b = *list.hand_out(), c = *list.hand_out(true);
  EXPECT_EQ(a.bytes + b.bytes + c.bytes, "abc");
  EXPECT_FALSE(list.hand_out());
  list.returned(b.number, {part(0, "d"), part(0, "e"), part(1, "h")});
  EXPECT_FALSE(list.next_returned()) << "a comes first";
  EXPECT_EQ(list.next_returned(true), b.number);
  EXPECT_EQ(list.hand_out()->bytes, "d");
  list.returned(a.number, {part(1, "g"), part(0, "f")});
  EXPECT_EQ(list.next_returned(), a.number);
  list.remove(a.number);
  EXPECT_FALSE(list.next_returned()) << "f is not finished";
  list.put_back_out();
  EXPECT_EQ(list.take_first()->bytes, "f");
  EXPECT_EQ(list.next_returned(), b.number);
  list.remove(b.number);
  EXPECT_EQ(in_order(list), "decgh");
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.size() + list.memory_bytes(), 0u);
}

TEST(UnitList, OneThatWasGivenUpIsOnlyTaken) {
  UnitList list = three();
  const Unit a = *list.hand_out(), b = *list.hand_out();
  list.give_up(b.number);
  EXPECT_EQ(list.hand_out()->bytes, "c");
  EXPECT_FALSE(list.first_is_given_up());
  list.returned(a.number, {});
  list.remove(a.number);
  EXPECT_TRUE(list.first_is_given_up());
  EXPECT_FALSE(list.hand_out());
  EXPECT_EQ(list.take_first()->bytes, "b");
  EXPECT_FALSE(list.first_is_given_up());
}

TEST(UnitList, OneThatMustBeAloneWaitsUntilItIsTheFirst) {
  UnitList list = three();
  const Unit a = *list.hand_out(), b = *list.hand_out();
  list.put_back(b.number, true);
  EXPECT_EQ(list.hand_out()->bytes, "c");
  EXPECT_FALSE(list.hand_out());
  list.returned(a.number, {});
  list.remove(a.number);
  EXPECT_EQ(list.hand_out()->number, b.number);
}

TEST(UnitList, SmallOnesAreJoinedTheLaterFirst) {
  UnitList list;
  for (const char* name : {"a", "b", "c"}) list.add(part(1, name, 200));
  EXPECT_EQ(list.take_first()->bytes, "ba");
  EXPECT_EQ(list.take_first()->bytes, "c");
}

TEST(UnitList, IsSavedAndSpilled) {
  UnitList list = three();
  const Unit a = *list.hand_out(), b = *list.hand_out();
  list.returned(b.number, {part(0, "d"), part(2, "x")});
  ASSERT_TRUE(list.spill());
  StateWriter out;
  list.save(out);
  UnitList again;
  StateReader in(out.bytes());
  again.load(in);
  ASSERT_TRUE(in.good() && in.at_end());
  for (UnitList* each : {&again, &list}) {
    each->put_back_out();
    EXPECT_EQ(each->take_first()->bytes, "a");
    ASSERT_EQ(each->next_returned(), b.number);
    each->remove(b.number);
    EXPECT_EQ(in_order(*each), "dcx");
  }
  for (size_t cut = 0; cut < out.bytes().size(); cut += 7) {
    StateReader broken(std::string_view(out.bytes()).substr(0, cut));
    UnitList none;
    none.load(broken);
    EXPECT_FALSE(broken.good() && broken.at_end());
  }
}

}  // namespace
}  // namespace lockstep
