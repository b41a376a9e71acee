// A test of GoogleTest, which is not instrumented: the framework's own code is not the code under test.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

TEST(Framework, ChecksInThreads) {
  std::vector<std::string> words;
  std::thread thread([&] {
    words.emplace_back("word");
    EXPECT_EQ(words.size(), 1u) << "in a thread";
    EXPECT_STREQ(words[0].c_str(), "word");
  });
  SCOPED_TRACE("beside it");
  EXPECT_TRUE(thread.joinable());
  thread.join();
  ASSERT_EQ(words, std::vector<std::string>{"word"});
}
