#include "fake_target.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <filesystem>

#include "fake_executor.hpp"

namespace lockstep::fake {
namespace {

Program abba() {
  return {"abba", {{lock(0), lock(1), unlock(1), unlock(0)}, {lock(1), lock(0), unlock(0), unlock(1)}}};
}
Program fine() {
  return {"fine", {{lock(0), lock(1), unlock(1), unlock(0)}, {lock(0), lock(1), unlock(1), unlock(0)}}};
}
Program lost() {
  auto one_more = [](const Registers& r) { return r[0] + 1; };
  Program program{"lost", {{ld(0, 0), st(0, one_more)}, {ld(0, 0), st(0, one_more)}}};
  program.final = [](const std::vector<Value>& memory) { return memory.at(0) == 2; };
  return program;
}

class FakeTarget final : public Target {
 public:
  explicit FakeTarget(Program program) : program_(std::move(program)), executor_(program_) {
    info_.instrumented = true;
  }
  size_t window() const override { return executor_.window(); }
  void submit(const Plan& plan) override { executor_.submit(plan); }
  std::optional<TraceView> next(const std::function<bool()>& interrupted) override {
    return executor_.next(interrupted);
  }
  void cancel() override { executor_.cancel(); }
  const TargetInfo& info() const override { return info_; }
  std::vector<Module> modules() override { return {}; }
  std::string given_name(uint64_t) override { return {}; }
  std::vector<ThreadTable::Entry> threads() override {
    std::vector<ThreadTable::Entry> entries{{0, 0}};
    for (uint16_t i = 0; i < program_.threads.size(); ++i) entries.push_back({0, i});
    return entries;
  }
  std::vector<std::string> warnings() override { return {}; }
  Detailed run_detailed(Plan plan, Inspector*) override {
    return {execute(program_, plan), "hello from " + program_.name + "\n"};
  }

 private:
  Program program_;
  FakeExecutor executor_;
  TargetInfo info_;
};

Result<std::unique_ptr<Target>> start(TargetOptions options) {
  const std::string name = std::filesystem::path(options.command[0]).filename();
  if (name == "abba") return std::unique_ptr<Target>(new FakeTarget(abba()));
  if (name == "lost") return std::unique_ptr<Target>(new FakeTarget(lost()));
  if (name.starts_with("fine")) return std::unique_ptr<Target>(new FakeTarget(fine()));
  return Error{ExitCode::Uncontrolled, fmt::format("{} cannot be controlled", name)};
}

Result<std::string> find(const std::string& name) {
  if (access(name.c_str(), F_OK) != 0) return Error{ExitCode::Usage, fmt::format("there is no program {}", name)};
  if (access(name.c_str(), X_OK) != 0) return Error{ExitCode::Usage, fmt::format("{} is not executable", name)};
  return name;
}

}  // namespace

Services fake_services() {
  return {find, [] { return Result<std::string>(std::string("liblockstep-rt.so")); }, start};
}

}  // namespace lockstep::fake

// What main.cpp is linked with when there is no real target.
#ifdef LOCKSTEP_FAKE_TARGET
namespace lockstep {
Result<std::unique_ptr<Target>> Target::start(TargetOptions options) {
  return fake::fake_services().start(std::move(options));
}
Result<int> debug_target(const TargetOptions&, const Plan&, const std::vector<std::string>&) {
  return Error{ExitCode::Uncontrolled, "what is no process cannot be debugged"};
}
bool is_built_for_lockstep(const std::string&) { return true; }
Result<std::string> find_program(const std::string& name) { return fake::fake_services().find_program(name); }
}  // namespace lockstep
#endif
