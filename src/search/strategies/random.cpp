// Plans independent random executions, divided into ranges of seeds.
#include "search/strategies/random.hpp"

#include "search/base/seeds.hpp"

namespace lockstep {
namespace {

// A unit of the search: a range of seeds.
struct SeedRange {
  uint64_t first = 0, count = 0;
};

std::string bytes_of(SeedRange range) { return {reinterpret_cast<const char*>(&range), sizeof range}; }
SeedRange range_of(const std::string& bytes) {
  StateReader in(bytes);
  return in.get<SeedRange>();
}

class RandomWalk final : public Strategy, private Division {
 public:
  RandomWalk(Policy policy, const SeededOptions& options) : policy_(policy), options_(options) {}

  std::optional<Plan> next() override {
    if (range_.count == 0 && !enter_range()) return std::nullopt;
    --range_.count;
    ++in_flight_;
    Plan plan;
    plan.policy = policy_;
    plan.seed = seed_of(options_.seed, range_.first++);
    plan.max_steps = options_.max_steps;
    return plan;
  }
  void learn(TraceView) override { in_flight_ -= in_flight_ > 0; }
  void save(StateWriter& out) const override {
    out.put(range_);
    out.put(in_flight_);
    out.put(end_);
    units_.save(out);
  }
  void load(StateReader& in) override {
    range_ = in.get<SeedRange>();
    in_flight_ = in.get<uint64_t>();
    end_ = in.get<uint64_t>();
    units_.load(in);
  }
  Claim claim() const override { return sample(); }
  Traits traits() const override { return {.draws = true}; }
  Division* division() override { return options_.divided ? this : nullptr; }

 private:
  bool at_border() const override { return range_.count == 0 && in_flight_ == 0; }
  UnitList& units() override {
    if (!units_.has_waiting(1)) add_range();
    return units_;
  }
  bool count(StateReader&, uint64_t) override { return true; }
  std::string after(const std::string& unit, uint64_t executions) const override {
    const SeedRange range = range_of(unit);
    return bytes_of({range.first + executions, range.count - executions});
  }
  void begin(const Unit& unit) override {
    range_ = range_of(unit.bytes);
    serves_ = true;
  }
  std::vector<UnitPart> end(StateWriter&) override {
    if (range_.count == 0) return {};
    return {{.size = range_.count, .bytes = bytes_of(range_)}};
  }

  bool enter_range() {
    if (serves_) return false;
    if (!options_.divided) {
      range_ = {end_, kUnitExecutions};
      end_ += kUnitExecutions;
      return true;
    }
    if (in_flight_ > 0) return false;
    if (units_.empty()) add_range();
    const std::optional<UnitPart> part = units_.take_first();
    if (part) range_ = range_of(part->bytes);
    return part && range_.count > 0;
  }
  void add_range() {
    units_.add({.size = kUnitExecutions, .bytes = bytes_of({end_, kUnitExecutions})});
    end_ += kUnitExecutions;
  }

  Policy policy_;
  SeededOptions options_;
  SeedRange range_;   // being explored here
  uint64_t end_ = 0;  // end of all ranges so far
  uint64_t in_flight_ = 0;
  bool serves_ = false;  // explores one unit for another process
  UnitList units_;
};

}  // namespace

std::unique_ptr<Search> make_random(const SeededOptions& options) {
  return std::make_unique<RandomWalk>(Policy::Random, options);
}
std::unique_ptr<Search> make_pos(const SeededOptions& options) {
  return std::make_unique<RandomWalk>(Policy::Pos, options);
}

}  // namespace lockstep
