#include "work/queued_orders.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr auto kLookAfterEvery = std::chrono::milliseconds(500);
constexpr int kMostOrderAttempts = 3;  // to hand out one that Redis loses

}  // namespace

void QueuedOrders::submit(uint64_t number, std::string order) { hand_out({number, std::move(order)}); }

void QueuedOrders::hand_out(Order order) {
  ++order.attempts;
  order.sent = std::chrono::steady_clock::now();
  const uint64_t unit = board_.next_number();
  link_.add_unit(unit, {.settings = board_.settings, .order = order.bytes});
  out_.emplace(unit, std::move(order));
}

std::optional<RemoteOrders::Answer> QueuedOrders::next(std::chrono::milliseconds patience) {
  if (answers_.empty()) {
    services_.look_around(can_reach() ? patience : std::chrono::milliseconds(0));
    look_after();
  }
  if (answers_.empty()) return std::nullopt;
  Answer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

void QueuedOrders::take_back(uint64_t number) {
  const auto found = std::ranges::find(out_, number, [](const auto& out) { return out.second.number; });
  if (found == out_.end()) return;
  if (link_.is_up()) link_.withdraw(found->first);
  out_.erase(found);
}

bool QueuedOrders::accept(AnswerMessage& answer) {
  const auto found = out_.find(answer.unit);
  if (found == out_.end() || answer.kind != AnswerMessage::Done || answer.result.empty()) return false;
  answers_.push_back({Answer::Done, found->second.number, answer.worker, std::move(answer.result)});
  out_.erase(found);
  return true;
}

// Another number: an answer to the one before comes too late.
void QueuedOrders::hand_out_again(uint64_t unit) {
  auto lost = out_.extract(unit);
  if (!lost.empty()) hand_out(std::move(lost.mapped()));
}

void QueuedOrders::end(uint64_t unit, Answer::Kind kind) {
  link_.withdraw(unit);
  answers_.push_back({kind, out_.at(unit).number});
  out_.erase(unit);
}

void QueuedOrders::hand_out_lost() {
  std::vector<uint64_t> lost;
  for (const auto& [unit, order] : out_)
    if (link_.look_at(unit).where == QueueLink::UnitState::Gone) lost.push_back(unit);
  for (const uint64_t unit : lost) hand_out_again(unit);
}

void QueuedOrders::forget() {
  for (const auto& [unit, order] : std::exchange(out_, {})) answers_.push_back({Answer::Lost, order.number});
}

// Those whose workers vanished are claimed by others, but not for ever.
void QueuedOrders::look_after() {
  const auto now = std::chrono::steady_clock::now();
  if (!link_.is_up() || now - looked_ < kLookAfterEvery) return;
  looked_ = now;
  if (!out_.empty() && link_.workers() == 0 && !std::exchange(is_lonely_, true))
    services_.warn("no worker serves the queue any more; start some with 'lockstep work --queue ...'");
  std::vector<uint64_t> old;
  for (const auto& [unit, order] : out_)
    if (now - order.sent > std::chrono::milliseconds(kSilenceMilliseconds)) old.push_back(unit);
  for (const uint64_t unit : old) {
    const QueueLink::UnitState state = link_.look_at(unit);
    if (!link_.is_up()) return;
    if (state.where == QueueLink::UnitState::Gone) services_.look_around(std::chrono::milliseconds(0));
    const auto found = out_.find(unit);
    if (found == out_.end()) continue;
    const bool is_silent = state.silence > std::chrono::milliseconds(kSilenceMilliseconds);
    if (state.where == QueueLink::UnitState::Gone && found->second.attempts < kMostOrderAttempts) {
      hand_out_again(unit);
    } else if (state.where == QueueLink::UnitState::Gone) {
      services_.warn("the queue lost data (maxmemory?); a part of the search is run again");
      end(unit, Answer::Lost);
    } else if (state.where == QueueLink::UnitState::Taken && is_silent && state.deliveries >= kMostDeliveries) {
      end(unit, Answer::Deadly);
    }
  }
}

}  // namespace lockstep
