// Orders of a crew in a queue: which are out, who looks after them (target/remote_orders.hpp). They share the stream of
// units with the plans (unit_board.hpp).
#pragma once
#include <deque>
#include <functional>
#include <map>

#include "target/remote_orders.hpp"
#include "work/unit_board.hpp"

namespace lockstep {

class QueuedOrders final : public RemoteOrders {
 public:
  // What the target that it belongs to does for it.
  struct Services {
    std::function<bool()> is_connected;
    std::function<void(std::chrono::milliseconds patience)> look_around;  // takes answers
    std::function<void(std::string)> describe;
    std::function<void(const std::string& worker, bool used)> refuse;
    std::function<void(const std::string&)> warn;
  };
  QueuedOrders(QueueLink& link, UnitBoard& board, Services services)
      : link_(link), board_(board), services_(std::move(services)) {}

  void describe(std::string search) override { services_.describe(std::move(search)); }
  bool can_reach() const override { return services_.is_connected(); }
  unsigned workers() const override { return can_reach() ? link_.workers() : 0; }
  void submit(uint64_t number, std::string order) override;
  std::optional<Answer> next(std::chrono::milliseconds patience) override;
  void take_back(uint64_t number) override;
  void refuse(const std::string& worker, bool used) override { services_.refuse(worker, used); }

  size_t size() const { return out_.size(); }
  bool accept(AnswerMessage& answer);  // true: it answers one of these
  void hand_out_lost();                // all that Redis has not
  void forget();                       // Redis is gone

 private:
  struct Order {
    uint64_t number;
    std::string bytes;
    int attempts = 0;  // to hand it out
    std::chrono::steady_clock::time_point sent{};
  };

  void hand_out(Order order);
  void hand_out_again(uint64_t unit);
  void end(uint64_t unit, Answer::Kind kind);
  void look_after();

  QueueLink& link_;
  UnitBoard& board_;
  const Services services_;
  std::map<uint64_t, Order> out_;  // by unit
  std::deque<Answer> answers_;
  std::chrono::steady_clock::time_point looked_{};
  bool is_lonely_ = false;  // nobody is there, and the user knows
};

}  // namespace lockstep
