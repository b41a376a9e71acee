#include <gtest/gtest.h>

#include "cell.hpp"

TEST(Cells, KeepBoth) { EXPECT_EQ(count(&Cell::add_atomically), 2); }
TEST(Cells, LoseOne) { EXPECT_EQ(count(&Cell::add), 2); }  // found only if the library is instrumented
