#include "work/unit_board.hpp"

#include <utility>

namespace lockstep {
namespace {

constexpr uint64_t kMostBytesKept = uint64_t{256} << 20;

}  // namespace

const std::shared_ptr<Batch>& UnitBoard::open() {
  if (!open_) open_ = std::make_shared<Batch>();
  return open_;
}

void UnitBoard::close_if_full() {
  if (open_ && open_->plans.size() >= size_.plans(window_, link_.workers())) close();
}

void UnitBoard::close() {
  ready_.push_back(std::exchange(open_, nullptr));
  serve_the_idle();
}

void UnitBoard::serve_the_idle() {
  const size_t workers = link_.workers();
  if (open_ && size() < 2 * std::max<size_t>(1, workers)) ready_.push_back(std::exchange(open_, nullptr));
  while (!ready_.empty() && out_.size() < 4 * workers + 4 && bytes_kept_ < kMostBytesKept) {
    hand_out(ready_.front());
    ready_.pop_front();
  }
}

void UnitBoard::need(const std::shared_ptr<Batch>& unit) {
  if (unit == open_) close();
  if (unit->number != 0) return;
  std::erase(ready_, unit);
  hand_out(unit);
}

void UnitBoard::hand_out(std::shared_ptr<Batch> unit) {
  unit->number = next_number();
  ++unit->attempts;
  unit->sent = std::chrono::steady_clock::now();
  unit->has_new_threads = false;
  link_.add_unit(unit->number, {.settings = settings, .plans = unit->plans});
  out_[unit->number] = std::move(unit);
}

size_t UnitBoard::plans_out() const {
  size_t sum = 0;
  for (const auto& [number, unit] : out_) sum += unit->plans.size();
  return sum;
}

void UnitBoard::hand_out_again(const Batch& unit) {
  const auto found = out_.find(unit.number);
  if (found == out_.end()) return;
  const std::shared_ptr<Batch> again = found->second;
  out_.erase(found);
  hand_out(again);
}

void UnitBoard::hand_out_lost() {
  std::vector<std::shared_ptr<Batch>> lost;
  for (const auto& [number, unit] : out_)
    if (link_.look_at(number).where == QueueLink::UnitState::Gone) lost.push_back(unit);
  for (const std::shared_ptr<Batch>& unit : lost) hand_out_again(*unit);
}

void UnitBoard::withdraw(const Batch& unit) {
  link_.withdraw(unit.number);
  out_.erase(unit.number);
}

void UnitBoard::take_all_back() {
  if (link_.is_up())
    for (const auto& [number, unit] : out_) link_.withdraw(number);
  forget();
}

void UnitBoard::forget() {
  out_.clear();
  again_.clear();
  ready_.clear();
  open_.reset();
  bytes_kept_ = 0;
}

bool UnitBoard::accept(AnswerMessage& answer) {
  const auto found = out_.find(answer.unit);
  if (found == out_.end()) return false;
  const std::shared_ptr<Batch> unit = found->second;
  if (answer.kind == AnswerMessage::NewThreads) {
    out_.erase(found);
    unit->has_new_threads = true;
    again_.push_back({unit, std::move(answer.threads)});
    return false;
  }
  if (answer.traces.size() != unit->plans.size()) return false;
  out_.erase(found);
  size_.took(unit->plans.size(), std::chrono::microseconds(answer.microseconds));
  unit->traces = std::move(answer.traces);
  unit->worker = answer.worker;
  for (const Trace& trace : unit->traces) bytes_kept_ += trace.view().header().bytes;
  return true;
}

void UnitBoard::run_again() {
  for (auto& [unit, threads] : std::exchange(again_, {})) hand_out(unit);
}

std::vector<ThreadTable::Entry> UnitBoard::threads_of(const Batch& unit) {
  for (const Again& again : again_)
    if (again.unit.get() == &unit) return again.threads;
  return {};
}

}  // namespace lockstep
