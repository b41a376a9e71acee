#include "search/dpor/divided_dpor.hpp"

namespace lockstep::dpor {
namespace {

constexpr size_t kFirstParts = 64;  // that the whole tree becomes
constexpr size_t kLaterParts = 8;   // that what is left of a unit becomes

}  // namespace

std::optional<Plan> DividedDpor::next() {
  if (!divided_ && divides_ && whole_.can_be_divided(parts_.sizes.undivided)) {
    if (in_flight_ > 0) return std::nullopt;
    divided_ = true;
    whole_.begin_crown();
    divide(kRoot, kFirstParts);
  }
  if (divided_ && !enter_unit()) return std::nullopt;
  std::optional<Plan> plan = explorer().next();
  in_flight_ += plan.has_value();
  return plan;
}

void DividedDpor::learn(TraceView trace) {
  if (in_flight_ == 0) return;  // the saved search was forged
  --in_flight_;
  ++(part_ ? unit_executed_ : executions_);
  explorer().learn(trace);
  measures_ = explorer().measures();
  if (in_flight_ == 0 && part_ && !part_->part_goes_on()) leave_unit();  // the claim counts it from now on
}

void DividedDpor::divide(uint32_t top, size_t parts) {
  units_.put_first(0, crown_.divide(top, parts));
  peak_ = std::max(peak_, units_.size() + crown_.waiting());
}

bool DividedDpor::enter_unit() {
  if (part_ && part_->part_goes_on()) return true;
  if (in_flight_ > 0 || serves_) return false;
  for (leave_unit(); divided_; leave_unit()) {
    const std::optional<UnitPart> unit = units_.take_first();
    if (!unit) return false;
    if (!begin_part(unit->bytes))
      whole_.lose_unit();  // it was on a disk that lost it
    else if (part_->part_goes_on())
      return true;
  }
  return true;
}

void DividedDpor::leave_unit() {
  if (!part_ || serves_) return;
  StateWriter out;
  end_part(out);
  StateReader in(out.bytes());
  (void)count(in, std::exchange(unit_executed_, 0));
}

UnitList& DividedDpor::units() {
  leave_unit();
  return units_;
}

void DividedDpor::start_part() {
  part_ = std::make_unique<DporSearch>(parts_.unit());
  part_->limit_memory(max_bytes_);
  if (must_stop_) part_->stop_when(must_stop_);
}

bool DividedDpor::begin_part(const std::string& unit) {
  StateReader in(unit);
  unit_node_ = in.get<uint32_t>();
  unit_birth_ = in.get<uint32_t>();
  unit_executed_ = 0;
  start_part();
  if (part_->begin_part(in, parts_.sizes.unit_executions)) return true;
  part_.reset();
  return false;
}

void DividedDpor::end_part(StateWriter& out) {
  out.put(unit_node_);
  out.put(unit_birth_);
  part_->end_part(out);
  part_.reset();
}

void DividedDpor::begin(const Unit& unit) {
  serves_ = true;
  divided_ = true;
  (void)begin_part(unit.bytes);
}

std::vector<UnitPart> DividedDpor::end(StateWriter& totals) {
  if (part_) end_part(totals);
  return {};
}

bool DividedDpor::count(StateReader& totals, uint64_t executions) {
  const auto node = totals.get<uint32_t>(), birth = totals.get<uint32_t>();
  if (!totals.good() || !crown_.holds(node, birth)) {
    whole_.lose_unit();
    return true;
  }
  executions_ += executions;
  if (!whole_.add_counts(totals, executions)) {
    stop_dividing();
    return false;
  }
  if (whole_.is_too_redundant(parts_.sizes.spare)) {
    whole_.abandon(Abandoned::Anew);
    stop_dividing();
    divides_ = false;
    return false;
  }
  crown_.take_back(node, totals, parts_.sizes.forgets_requests);
  if (totals.good())
    divide(node, kLaterParts);
  else
    whole_.lose_unit();
  return true;
}

void DividedDpor::stop_dividing() {
  divided_ = false;
  units_ = {};
  crown_.clear();
}

SearchStatus DividedDpor::status() const {
  if (!divided_) return whole_.status();
  SearchStatus status = part_ ? part_->status() : whole_.status();
  status.frontier_nodes += units_.size() + crown_.waiting();
  status.peak_frontier_nodes = std::max(peak_, status.frontier_nodes);
  const double explored = crown_.explored();
  status.estimated_total = explored > 0 ? static_cast<uint64_t>(static_cast<double>(executions_) / explored) : 0;
  return status;
}

void DividedDpor::limit_memory(uint64_t bytes) {
  max_bytes_ = bytes;
  whole_.limit_memory(bytes);
}

void DividedDpor::stop_when(std::function<bool()> must_stop) {
  must_stop_ = must_stop;
  if (part_) part_->stop_when(must_stop);
  whole_.stop_when(std::move(must_stop));
}

void DividedDpor::save(StateWriter& out) const {
  whole_.save(out);
  out.put(static_cast<uint8_t>(divided_ | divides_ << 1));
  for (const uint64_t number : {in_flight_, peak_, executions_, unit_executed_}) out.put(number);
  out.put(unit_node_);
  out.put(unit_birth_);
  crown_.save(out);
  units_.save(out);
  out.put(part_ != nullptr);
  if (part_) part_->save_part(out);
}

void DividedDpor::load(StateReader& in) {
  whole_.load(in);
  const auto flags = in.get<uint8_t>();
  divided_ = (flags & 1) != 0;
  divides_ = (flags & 2) != 0;
  for (uint64_t* number : {&in_flight_, &peak_, &executions_, &unit_executed_}) *number = in.get<uint64_t>();
  unit_node_ = in.get<uint32_t>();
  unit_birth_ = in.get<uint32_t>();
  crown_.load(in);
  units_.load(in);
  if (in.get<uint8_t>() == 0) return;
  start_part();
  part_->load_part(in);
}

}  // namespace lockstep::dpor
