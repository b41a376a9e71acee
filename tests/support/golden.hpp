// Compares text with an approved file under tests/report/golden. LOCKSTEP_APPROVE=1 rewrites the file instead.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace lockstep {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(LOCKSTEP_GOLDEN) + "/" + name;
  if (std::getenv("LOCKSTEP_APPROVE") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing: run with LOCKSTEP_APPROVE=1";
  std::stringstream approved;
  approved << file.rdbuf();
  EXPECT_EQ(approved.str(), text) << "differs from " << path << "; LOCKSTEP_APPROVE=1 accepts the new text";
}

}  // namespace lockstep
