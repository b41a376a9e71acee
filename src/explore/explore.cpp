// Implements lockstep::explore(): the search runs in the test's process, the body in forks of that process.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "campaign/campaign.hpp"
#include "report/claim_text.hpp"
#include "report/schedule_file.hpp"
#include "report/story.hpp"

#include <lockstep/lockstep.hpp>  // last, because its Result is a different type

extern "C" {
__attribute__((weak)) void lockstep_rt_serve(int channel_fd, int table_fd, void (*body)(void*), void* argument);
__attribute__((weak)) void lockstep_rt_execution_functions(void (*setup)(void*), void (*teardown)(void*),
                                                           void* argument);
// testing::Test::HasFatalFailure() and HasNonfatalFailure(), if the test uses GoogleTest.
__attribute__((weak)) bool gtest_fatal() __asm__("_ZN7testing4Test15HasFatalFailureEv");
__attribute__((weak)) bool gtest_nonfatal() __asm__("_ZN7testing4Test18HasNonfatalFailureEv");
}

namespace {

using lockstep::CampaignOptions;
using lockstep::Finding;

bool expectation_failed() { return (gtest_fatal && gtest_fatal()) || (gtest_nonfatal && gtest_nonfatal()); }

void run_body(void* argument) {
  const bool failed_before = expectation_failed();
  (*static_cast<std::function<void()>*>(argument))();
  if (!failed_before && expectation_failed())
    lockstep_rt_require_failed("an expectation of the test framework", "the body", 0);
}

lockstep::v1::Result failed(std::string why) {
  lockstep::v1::Result result;
  result.error = std::move(why);
  return result;
}

// A replay of one call of explore() in this program: this process is the worker of that call. Other calls do nothing.
struct Replay {
  int channel_fd = -1, table_fd = -1;
  unsigned call = 0;
  bool wanted() const { return call != 0; }
};
Replay replay_wanted() {
  Replay replay;
  const char* text = std::getenv(lockstep::kExploreVariable);
  if (text && std::sscanf(text, "%d,%d,%u", &replay.channel_fd, &replay.table_fd, &replay.call) != 3) replay.call = 0;
  return replay;
}

// Runs the body along the plans of the channel; never returns.
void serve(int channel_fd, int table_fd, std::function<void()>& body, lockstep::v1::Options& options) {
  const auto setup = [](void* o) { static_cast<lockstep::v1::Options*>(o)->setup(); };
  const auto teardown = [](void* o) { static_cast<lockstep::v1::Options*>(o)->teardown(); };
  lockstep_rt_execution_functions(options.setup ? +setup : nullptr, options.teardown ? +teardown : nullptr, &options);
  lockstep_rt_serve(channel_fd, table_fd, run_body, &body);
}

template <class E>
bool read_name(E& value, const std::string& text, E last) {
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    if (text == lockstep::name_of(E(i))) {
      value = E(i);
      return true;
    }
  return false;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (words.empty()) words.emplace_back("a program");
  return words;
}

// An empty string, or what is wrong with the options.
std::string translate(const lockstep::v1::Options& from, unsigned call, CampaignOptions& to) {
  to.strategy.spec = from.strategy;
  to.strategy.preemptions = from.preemptions;
  to.strategy.variables = from.variables;
  to.strategy.thread_bound = from.thread_bound;
  to.strategy.seed = from.seed.value_or(0);
  to.strategy.max_steps = to.steps = from.steps;
  to.executions = from.executions;
  to.time = from.time;
  to.keep_going = from.keep_going;
  to.races = from.races;
  to.leaks = from.leaks;
  to.lock_discipline = from.lock_discipline;
  to.spin_rounds = from.spin_rounds;
  to.max_delay_ms = from.max_delay
                        ? static_cast<uint32_t>(std::min<int64_t>(from.max_delay->count(), lockstep::kAnyDelay))
                        : lockstep::kAnyDelay;
  to.spurious = from.spurious;
  to.trusted = from.trust;
  to.preempt_in = from.preempt_in;
  to.has_execution_functions = from.setup || from.teardown;
  to.suppressions = from.suppressions;
  to.workers = std::max(from.workers, 1u);
  to.explore_call = call;
  to.command = command_line();
  to.out = from.out.empty() ? "lockstep-out/" + std::filesystem::path(to.command[0]).filename().string() + "/explore-" +
                                  std::to_string(call)
                            : from.out;
  if (!read_name(to.isolation, from.isolation, lockstep::Isolation::Fork))
    return "isolation '" + from.isolation + "' is not one of: auto, loop, reset, fork";
  if (!read_name(to.points, from.points, lockstep::Points::All))
    return "points '" + from.points + "' is not one of: auto, sync, atomics, racy, all";
  if (!read_name(to.timeouts, from.timeouts, lockstep::Timeouts::Always))
    return "timeouts '" + from.timeouts + "' is not one of: stuck, cost, always";
  for (const std::string& name : from.errors) {
    lockstep::FindingKind kind;
    if (!read_name(kind, name, lockstep::FindingKind::Timing)) return "unknown kind of warning '" + name + "'";
    to.errors.insert(kind);
  }
  return {};
}

// Collects what a campaign reports.
class Collector final : public lockstep::CampaignListener {
 public:
  explicit Collector(lockstep::v1::Result& result) : result_(result) {}
  void use(lockstep::Campaign& campaign) { campaign_ = &campaign; }
  void warn(const std::string& text) override { result_.warnings.push_back(text); }
  void found(const Finding& bug) override {
    lockstep::StoryOptions options;
    options.terminal.width = 100;
    const std::string story =
        bug.trace.empty() ? "" : lockstep::tell_story(bug, campaign_->replayer().symbols(), options);
    result_.bugs.push_back({name_of(bug.kind), bug.message, story, bug.schedule});
  }

 private:
  lockstep::v1::Result& result_;
  lockstep::Campaign* campaign_ = nullptr;
};

}  // namespace

lockstep::v1::Result lockstep::v1::explore(std::function<void()> body, Options options) {
  lockstep::v1::Result result;
  if (controlled()) {
    if (options.setup) options.setup();
    body();  // the program as a whole is explored: the body runs once
    if (options.teardown) options.teardown();
    result.executions = 1;
    return result;
  }
  if (!lockstep_rt_serve)
    return failed("the test is not linked with liblockstep-rt (build it with lockstep-cxx or lockstep::lockstep)");
  static std::atomic<unsigned> calls;
  const unsigned call = ++calls;
  if (const Replay replay = replay_wanted(); replay.wanted()) {
    if (replay.call == call) serve(replay.channel_fd, replay.table_fd, body, options);
    return result;
  }
  CampaignOptions campaign_options;
  if (std::string problem = translate(options, call, campaign_options); !problem.empty()) return failed(problem);
  std::error_code ignored;
  Subject subject{std::filesystem::read_symlink("/proc/self/exe", ignored).string(), {}};
  subject.body = [&](int channel_fd, int table_fd) { serve(channel_fd, table_fd, body, options); };
  Collector collector(result);
  auto campaign = Campaign::start(campaign_options, subject, Target::start, collector);
  if (!campaign) return failed(campaign.error().message);
  collector.use(**campaign);
  const auto explored = (*campaign)->run();
  if (!explored) return failed(explored.error().message);
  result.executions = explored->executions;
  result.complete = explored->complete();
  result.guarantee = guarantee_text(*explored);
  result.error = explored->uncontrolled;
  return result;
}
