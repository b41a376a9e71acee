// Collects the names of objects, step by step, from a stopped program.
#include "target/inspector.hpp"

#include <chrono>
#include <set>

#include "target/expression.hpp"
#include "target/loaded_modules.hpp"
#include "target/object_graph.hpp"
#include "target/stack_frames.hpp"
#include "target/visible_variables.hpp"

namespace lockstep {
namespace {

using namespace debug_info;

// In a long execution, objects that have a name are not examined again after this time.
constexpr auto kLong = std::chrono::milliseconds(300);
// An object without a name may get one later: nothing leads to memory that a container has not taken over yet.
constexpr int kMostSearches = 8;

bool is_memory(ObjectId object) {
  const auto address = static_cast<uint64_t>(object);
  return address >= 4096 && address >> 47 == 0;
}
// True for the initial stack and the stacks of the runtime's threads.
bool is_stack(ObjectId object) {
  const auto address = static_cast<uint64_t>(object);
  return (address >= 0x2080'0000'0000 && address < 0x3000'0000'0000) || address >= 0x7ff0'0000'0000;
}

class ProgramObserver final : public Observer {
 public:
  ProgramObserver(const std::vector<Module>& modules, std::vector<Allocation> blocks, std::function<bool()> stop)
      : dwfl_(report_modules(modules)),
        blocks_(std::move(blocks)),
        unwinder_(dwfl_.get()),
        visible_(dwfl_.get()),
        stop_(std::move(stop)) {}

  void stopped(const Inspection& stop) override {
    if (!dwfl_ || (stop_ && stop_())) return;
    const auto begin = stopped_at_ = std::chrono::steady_clock::now();
    // The execution starts, perhaps for the second time.
    if (stop.step == 0 && stop.kind == Inspection::Step) {
      seen_ = {};
      searches_.clear();
    }
    memory_ = ProcessMemory(static_cast<int>(stop.pid), split_);
    unwinder_.has_run(stop.registers[0].thread);
    variables_.erase(stop.registers[0].thread);
    graph_.reset();
    switch (stop.kind) {
      case Inspection::Step:
      case Inspection::Race: look_at(stop, stop.object); break;
      case Inspection::Failure: look_at_failure(stop); break;
      case Inspection::End: break;
    }
    const bool all = stop.kind == Inspection::End;
    for (uint32_t i = 0; i < stop.threads && (all || i == 0); ++i) {
      const ThreadRegisters& thread = stop.registers[i];
      if (all) look_at(stop, thread.object);
      if (thread.kind == OpKind::CondWait) look_at(stop, thread.second.mutex());
      if (all && thread.kind == OpKind::Reacquire && !thread.second.none()) look_at(stop, thread.second.condition());
    }
    spent_ += std::chrono::steady_clock::now() - begin;
  }

  Observations take() override { return std::move(seen_); }

 private:
  bool gives_up() const {
    return spent_ + (std::chrono::steady_clock::now() - stopped_at_) > 8 * kLong || (stop_ && stop_());
  }

  void look_at(const Inspection& stop, ObjectId object) {
    if (!is_memory(object)) return;
    auto& known = seen_.objects[object];
    const bool nameless = !known.empty() && known.back().name.empty() && ++searches_[object] < kMostSearches;
    if (!known.empty() && !nameless && (!is_stack(object) || spent_ > kLong)) return;
    if (known.empty() && spent_ > 4 * kLong) return;
    ObservedObject fresh{"", {}, 0, known.empty() || !is_stack(object) ? 0 : stop.step};
    if (auto found = find(stop, static_cast<uint64_t>(object))) {
      fresh.name = found->path;
      fresh.begin = found->begin;
      if (found->type)
        fresh.type = value_type(&*found->type);
      else if (found->path.ends_with("_count()"))  // of a shared_ptr
        fresh.type = {ValueType::Signed, 4};
    }
    if (nameless && !is_stack(object) && !fresh.name.empty()) known.pop_back();
    if (known.empty() || known.back().name != fresh.name) known.push_back(std::move(fresh));
  }

  std::optional<FoundObject> find(const Inspection& stop, uint64_t address) {
    Leaf leaf;
    if (auto global = visible_.global_at(address, &leaf)) return FoundObject{*global, leaf.type, address - leaf.within};
    if (!graph_) build_graph(stop);
    return graph_->find(address);
  }

  // Main's variables come first, and for each thread those of its outermost functions, because they live longest.
  void build_graph(const Inspection& stop) {
    graph_.emplace(memory_, blocks_, [this] { return gives_up(); });
    std::vector<const ThreadRegisters*> threads;
    for (uint32_t i = 0; i < stop.threads; ++i) threads.push_back(&stop.registers[i]);
    std::sort(threads.begin(), threads.end(), [](auto* a, auto* b) { return a->thread < b->thread; });
    for (const ThreadRegisters* thread : threads)
      for (const VisibleVariable& variable : variables_of(*thread)) add_variable(variable);
    for (const Variables::Variable& global : visible_.globals())
      if (Dwarf_Die type = global.type; global.offset == 0 && (is_class(&type) || is_pointer(&type)))
        graph_->add_root({global.begin, type, global.name});  // other types lead to no further objects
  }

  const std::vector<VisibleVariable>& variables_of(const ThreadRegisters& thread) {
    auto [at, fresh] = variables_.try_emplace(thread.thread);
    if (!fresh) return at->second;
    const std::vector<StackFrame>& frames = unwinder_.frames(thread, memory_);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      for (VisibleVariable& variable : visible_.in_frame(*frame, memory_)) at->second.push_back(std::move(variable));
    return at->second;
  }

  void add_variable(const VisibleVariable& variable) {
    Dwarf_Die type = variable.type, target;
    if (variable.is_this || variable.is_closure) {
      const auto object = variable.place.in_memory ? memory_.word(variable.place.value) : variable.place.value;
      if (!object || !type_of(&type, &target)) return;
      if (!variable.is_closure) return graph_->add_alias_root({*object, target, "", true, 1});
      return add_captures(*object, target);
    }
    Region root{variable.place.value, type, variable.name};
    if (!variable.place.in_memory) {
      if (!is_pointer(&type) || !type_of(&type, &target)) return;
      root = {variable.place.value, target, variable.name, !is_reference(&type), 1};
    }
    variable.is_alias ? graph_->add_alias_root(std::move(root)) : graph_->add_root(std::move(root));
  }

  // gcc names the copy of a captured variable, or the reference to it, __variable.
  void add_captures(uint64_t closure, Dwarf_Die type) {
    for (Member& member : members_of(&type)) {
      std::string name = member.name.starts_with("__") ? member.name.substr(2) : member.name;
      const uint64_t at = closure + member.offset;
      Dwarf_Die target;
      if (name != "this") {
        graph_->add_late_root({at, member.type, name});
      } else if (auto object = memory_.word(at); object && type_of(&member.type, &target)) {
        graph_->add_alias_root({*object, target, "", true, 1});
      }
    }
  }

  void look_at_failure(const Inspection& stop) {
    std::string text(std::min<uint32_t>(stop.text_bytes, 512), '\0');
    if (text.empty() || !memory_.read(stop.text, text.data(), text.size())) return;
    const std::vector<StackFrame>& frames = unwinder_.frames(stop.registers[0], memory_);
    for (const StackFrame& frame : frames) {
      if (!visible_.is_users(frame)) continue;
      seen_.operands =
          operands_of(asserted_expression(text), visible_.in_frame(frame, memory_), visible_.globals(), memory_);
      return;
    }
  }

  DwflHandle dwfl_;
  const std::vector<Allocation> blocks_;
  const std::shared_ptr<SplitObjects> split_ = std::make_shared<SplitObjects>();
  ProcessMemory memory_;
  StackUnwinder unwinder_;
  VisibleVariables visible_;
  std::map<ThreadId, std::vector<VisibleVariable>> variables_;  // of threads that have not run since the last stop
  std::optional<ObjectGraph> graph_;                            // of the current stop
  std::map<ObjectId, int> searches_;                            // for a name that was not found
  std::chrono::steady_clock::duration spent_{};
  std::chrono::steady_clock::time_point stopped_at_{};
  const std::function<bool()> stop_;
  Observations seen_;
};

}  // namespace

std::unique_ptr<Observer> make_observer(const std::vector<Module>& modules, std::vector<Allocation> blocks,
                                        std::function<bool()> stop) {
  return std::make_unique<ProgramObserver>(modules, std::move(blocks), std::move(stop));
}

}  // namespace lockstep
