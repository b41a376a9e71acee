#include "work/queue_address.hpp"

#include <gtest/gtest.h>

using namespace lockstep;

TEST(QueueAddress, HasUserPasswordHostPortAndName) {
  const auto address = parse_queue_address("redis://me:s%3Ac%40r%2ft@build1:7000/night-1");
  ASSERT_TRUE(address);
  EXPECT_FALSE(address->tls);
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->password, "s:c@r/t");
  EXPECT_EQ(address->host, "build1");
  EXPECT_EQ(address->port, 7000);
  EXPECT_EQ(address->name, "night-1");
  EXPECT_EQ(address->display(), "redis://build1:7000/night-1");
}

TEST(QueueAddress, HasAPortOfItsOwnAndTls) {
  const auto address = parse_queue_address("rediss://[::1]/q");
  ASSERT_TRUE(address);
  EXPECT_TRUE(address->tls);
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 6379);
  EXPECT_EQ(address->server(), "[::1]:6379");
}

TEST(QueueAddress, SaysWhatIsWrongAndNeverThePassword) {
  for (const char* text :
       {"", "redis://", "http://u:secret@h/q", "redis://u:secret@h", "redis://u:secret@/q", "redis://u:secret@h:0/q",
        "redis://u:secret@h:65536/q", "redis://u:secret@h:1x/q", "redis://u:secret%4@h/q", "redis://u:secret@[::1/q",
        "redis://u:secret@h/q w", "redis://u:secret@h/"}) {
    const auto address = parse_queue_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().message.find("secret"), std::string::npos) << text;
    EXPECT_EQ(address.error().code, ExitCode::Usage);
  }
}
