// Entries of debug information, against libdw's own answers about programs of both compilers.
#include "target/debug_info.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace lockstep::debug_info {
namespace {

std::vector<Dwarf_Off> offsets(const Dwarf_Die* dies, size_t count) {
  std::vector<Dwarf_Off> all;
  for (size_t i = 0; i < count; ++i) all.push_back(dwarf_dieoffset(const_cast<Dwarf_Die*>(&dies[i])));
  return all;
}

size_t compare_below(Dwarf_Die* parent) {
  size_t compared = 0;
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return 0;
  do {
    Dwarf_Die* expected = nullptr;
    const int count = dwarf_getscopes_die(&child, &expected);
    if (count > 0) {
      const std::vector<Dwarf_Die> found = scopes_around(child);
      EXPECT_EQ(offsets(found.data(), found.size()), offsets(expected + 1, static_cast<size_t>(count - 1)));
      free(expected);
      ++compared;
    }
    compared += compare_below(&child);
  } while (dwarf_siblingof(&child, &child) == 0);
  return compared;
}

class DebugInfoOf : public testing::TestWithParam<const char*> {};

TEST_P(DebugInfoOf, HoldsEveryEntryInItsScopes) {
  const int fd = open((std::string(LOCKSTEP_FIXTURES) + "/" + GetParam()).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) GTEST_SKIP() << GetParam() << " was not built";
  Dwarf* info = dwarf_begin(fd, DWARF_C_READ);
  ASSERT_NE(info, nullptr);
  size_t compared = 0, header = 0;
  Dwarf_Off at = 0, next = 0;
  for (; dwarf_nextcu(info, at, &next, &header, nullptr, nullptr, nullptr) == 0; at = next) {
    Dwarf_Die unit;
    ASSERT_NE(dwarf_offdie(info, at + header, &unit), nullptr);
    compared += compare_below(&unit);
  }
  EXPECT_GT(compared, 100u);
  dwarf_end(info);
  close(fd);
}
INSTANTIATE_TEST_SUITE_P(Programs, DebugInfoOf, testing::Values("g++-O2-debug", "g++-O0-debug4", "clang++-O2-debug"));

}  // namespace
}  // namespace lockstep::debug_info
