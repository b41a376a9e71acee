// Which frames of a stack are told.
#include "report/user_frames.hpp"

#include <gtest/gtest.h>

#include "fake_trace.hpp"

namespace lockstep {
namespace {

std::vector<std::string> told(std::vector<FakeSymbols::Function> functions, std::vector<uint64_t> stack) {
  FakeSymbols symbols;
  symbols.functions = std::move(functions);
  std::vector<std::string> names;
  for (const Frame& frame : user_frames(stack, symbols)) names.push_back(frame.where.function);
  const auto innermost = innermost_user_frame(stack, symbols);
  EXPECT_EQ(innermost ? innermost->where.function : "", names.empty() ? "" : names[0]);
  return names;
}

TEST(UserFrames, LeaveOutLibraries) {
  EXPECT_EQ(told({{1, 1, "std::vector::push_back"}, {2, 2, "add"}, {3, 3, "main"}}, {1, 2, 3}),
            (std::vector<std::string>{"add", "main"}));
}

// "pthread_" alone does not make a function one of the C library.
TEST(UserFrames, MayHaveNamesLikeALibrary) {
  EXPECT_EQ(told({{1, 1, "pthread_pool_run"}, {2, 2, "std::thread::_M_run"}}, {1, 2}),
            std::vector<std::string>{"pthread_pool_run"});
}

// Destructors of static objects: nobody of the program calls them.
TEST(UserFrames, BeginAtTheLibraryCallWhereThereAreNone) {
  EXPECT_EQ(told({{1, 1, "std::allocator::deallocate"},
                  {2, 2, "std::vector::~vector"},
                  {3, 3, "__cxa_finalize", "cxa.c", "libc.so.6"}},
                 {1, 2, 3}),
            (std::vector<std::string>{"std::vector::~vector", "__cxa_finalize"}));
}

TEST(UserFrames, OfALibraryAloneAreAllTold) {
  EXPECT_EQ(
      told({{1, 1, "abort", "abort.c", "libc.so.6"}, {2, 2, "std::terminate", "eh.cc", "libstdc++.so.6"}}, {1, 2}),
      (std::vector<std::string>{"abort", "std::terminate"}));
}

}  // namespace
}  // namespace lockstep
