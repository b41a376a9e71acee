// Orders for workers on other machines: bytes go there, bytes come back. What they say is the business of who sends
// them (src/crew).
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep {

class RemoteOrders {
 public:
  struct Answer {
    enum Kind : uint8_t {
      Done,
      Lost,    // nobody will answer it any more
      Deadly,  // it ended its workers again and again
    };
    Kind kind = Done;
    uint64_t number = 0;  // of the order
    std::string worker{};
    std::string bytes{};
  };

  virtual ~RemoteOrders() = default;
  // What all orders from now on have in common.
  virtual void describe(std::string search) = 0;
  virtual bool can_reach() const = 0;    // false: nothing is to be expected from workers elsewhere
  virtual unsigned workers() const = 0;  // that are there
  virtual void submit(uint64_t number, std::string order) = 0;
  // nullopt: there is none after so long a time.
  virtual std::optional<Answer> next(std::chrono::milliseconds patience) = 0;
  virtual void take_back(uint64_t number) = 0;  // there will be no answer
  // Its answers were wrong. `used`: some of them are counted already.
  virtual void refuse(const std::string& worker, bool used) = 0;
};

}  // namespace lockstep
