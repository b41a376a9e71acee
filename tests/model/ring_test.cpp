#include "model/ring.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

// A message: its length in bytes, a number, then bytes that follow from the number.
class Fixture {
 public:
  explicit Fixture(uint64_t capacity) : bytes(capacity) { ring->capacity = capacity; }

  bool send(uint32_t number, uint32_t size) {
    const RingSlot slot = next_slot(*ring, size);
    if (!fits(*ring, slot)) return false;
    char* out = open_slot(*ring, bytes.data(), slot);
    std::memcpy(out, &size, 4);
    std::memcpy(out + 4, &number, 4);
    for (uint32_t i = 8; i < size; ++i) out[i] = static_cast<char>(number + i);
    publish(*ring, slot);
    return true;
  }
  // The number of the next message; -1: there is none, -2: it is damaged.
  int64_t receive() {
    const char* message = front(*ring, bytes.data());
    if (!message) return -1;
    uint32_t size, number;
    std::memcpy(&size, message, 4);
    std::memcpy(&number, message + 4, 4);
    for (uint32_t i = 8; i < size; ++i)
      if (message[i] != static_cast<char>(number + i)) return -2;
    pop(*ring, size);
    return number;
  }

  std::unique_ptr<Ring> ring = std::make_unique<Ring>();
  std::vector<char> bytes;
};

TEST(Ring, IsEmptyAtFirst) {
  Fixture f(64);
  EXPECT_EQ(f.receive(), -1);
}

TEST(Ring, GivesMessagesInTheirOrder) {
  Fixture f(64);
  EXPECT_TRUE(f.send(1, 16));
  EXPECT_TRUE(f.send(2, 24));
  EXPECT_EQ(f.receive(), 1);
  EXPECT_EQ(f.receive(), 2);
  EXPECT_EQ(f.receive(), -1);
}

TEST(Ring, CanBeFilledToTheLastByteAndNoFurther) {
  Fixture f(64);
  EXPECT_TRUE(f.send(1, 32));
  EXPECT_TRUE(f.send(2, 32));
  EXPECT_FALSE(f.send(3, 8));
  EXPECT_EQ(f.receive(), 1);
  EXPECT_TRUE(f.send(3, 32));
  EXPECT_FALSE(f.send(4, 8));
  EXPECT_EQ(f.receive(), 2);
  EXPECT_EQ(f.receive(), 3);
}

TEST(Ring, MessagesDoNotWrap) {
  Fixture f(64);
  EXPECT_TRUE(f.send(1, 40));
  EXPECT_EQ(f.receive(), 1);
  EXPECT_TRUE(f.send(2, 32));  // 24 bytes are left before the end: goes to the beginning
  EXPECT_EQ(f.ring->written.load(), 96u);
  uint64_t position = f.ring->read.load();
  EXPECT_EQ(message_at(*f.ring, f.bytes.data(), position), f.bytes.data());
  EXPECT_EQ(f.receive(), 2);
  EXPECT_EQ(f.receive(), -1);
}

TEST(Ring, AFillerAloneMakesNoRoom) {
  Fixture f(64);
  EXPECT_TRUE(f.send(1, 24));
  EXPECT_TRUE(f.send(2, 24));
  EXPECT_FALSE(f.send(3, 32)) << "16 bytes at the end are lost, and the beginning is not read yet";
  EXPECT_EQ(f.receive(), 1);
  EXPECT_FALSE(f.send(3, 32)) << "24 bytes are free at the beginning";
  EXPECT_EQ(f.receive(), 2);
  EXPECT_TRUE(f.send(3, 32));
  EXPECT_EQ(f.receive(), 3);
}

TEST(Ring, TheMessageAfterTheFirstCanBeSeenBeforeThatIsRead) {
  Fixture f(64);
  f.send(1, 40);
  uint64_t position = f.ring->read.load() + 40;
  EXPECT_EQ(message_at(*f.ring, f.bytes.data(), position), nullptr);
  f.send(2, 16);
  EXPECT_EQ(message_at(*f.ring, f.bytes.data(), position), f.bytes.data() + 40);
  EXPECT_EQ(f.receive(), 1);
}

TEST(Ring, BothSidesAtOnceLoseNothing) {
  constexpr uint32_t kMessages = 50'000;
  Fixture f(512);
  std::thread writer([&] {
    std::mt19937 random(1);
    for (uint32_t i = 0; i < kMessages; ++i) {
      const uint32_t size = 8 + 8 * (random() % 24);
      while (!f.send(i, size)) std::this_thread::yield();
    }
  });
  for (uint32_t i = 0; i < kMessages; ++i) {
    int64_t got;
    while ((got = f.receive()) == -1) std::this_thread::yield();
    EXPECT_EQ(got, i);
    if (got != i) break;
  }
  writer.join();
}

}  // namespace
}  // namespace lockstep
