// Measures what README.md states of the monitors: what looking for data races costs, in processor time of the program.
// Usage: monitors RUNTIME PROGRAMS_DIR [ROUNDS]
// With a number of rounds only the small body is measured, so often.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "target/target.hpp"

using namespace lockstep;

namespace {

std::string runtime_library, programs;

struct How {
  bool detect = false;
  Points points = Points::Atomics;
};

std::unique_ptr<Target> start(const std::vector<std::string>& command, How how) {
  TargetOptions options;
  options.command = command;
  options.command[0] = programs + "/" + command[0];
  options.runtime_library = runtime_library;
  options.isolation = Isolation::Reset;
  options.points = how.points;
  options.detect_races = how.detect;
  options.max_steps = 10'000'000;
  auto target = Target::start(options);
  if (!target) {
    std::fprintf(stderr, "%s\n", target.error().message.c_str());
    std::exit(1);
  }
  return std::move(*target);
}

// The program's one worker, a child of this process.
std::set<pid_t> children() {
  std::set<pid_t> found;
  std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
  for (pid_t pid; list >> pid;) found.insert(pid);
  return found;
}

struct Subject {
  std::unique_ptr<Target> target;
  clockid_t clock = 0;  // of the processor time its worker has used: other load does not count

  Subject(const std::vector<std::string>& command, How how) {
    const std::set<pid_t> before = children();
    target = start(command, how);
    for (const pid_t pid : children())
      if (!before.contains(pid)) clock_getcpuclockid(pid, &clock);
  }
  double used() const {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  }
};

// Seconds of processor time per execution of `count` plans.
double seconds(Subject& subject, uint64_t count, Policy policy) {
  Target& target = *subject.target;
  const double begin = subject.used();
  uint64_t sent = 0;
  for (uint64_t got = 0; got < count; ++got) {
    for (; sent < count && sent - got < target.window(); ++sent) {
      Plan plan;
      plan.id = sent;
      plan.policy = policy;
      plan.seed = sent;
      target.submit(plan);
    }
    target.next(nullptr);
  }
  return (subject.used() - begin) / static_cast<double>(count);
}

double fastest(Subject subject, uint64_t count, int rounds, Policy policy = Policy::Default) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) best = std::min(best, seconds(subject, count, policy));
  return best;
}

// What one access costs: the same program with many and with few. The rest of an execution cancels out.
double access_cost(How how, long many, bool promote) {
  auto time = [&](long n) {
    Subject subject({"accesses", std::to_string(n)}, how);
    if (promote) {
      subject.target->submit(Plan{});
      std::set<uint64_t> places;
      for (const DataRace& pair : subject.target->next(nullptr)->races())
        places.insert({pair.first.pc, pair.second.pc});
      PromotedPoints points;
      points.places.assign(places.begin(), places.end());
      subject.target->promote(points);
    }
    return fastest(std::move(subject), 10, 7);
  };
  return (time(many + 256) - time(256)) / static_cast<double>(2 * many) * 1e9;  // reads and writes in turn
}

double native(const std::string& program) {
  FILE* pipe = popen((programs + "/" + program + " native 5").c_str(), "r");
  double value = 0;
  if (!pipe || std::fscanf(pipe, "%lf", &value) != 1) value = 0;
  if (pipe) pclose(pipe);
  return value;
}

void row(const char* what, double value, const char* unit, const char* wanted) {
  std::printf("| %s | %.*f %s | %s |\n", what, value < 100 ? 1 : 0, value, unit, wanted);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  runtime_library = argv[1];
  programs = argv[2];
  // Alternating, so that a change of the machine's mood meets both.
  Subject off({"small_body"}, {}), on({"small_body"}, {true, Points::Racy});
  double without = 1e9, with = 1e9;
  const int rounds = argc == 4 ? std::atoi(argv[3]) : 30;
  for (int i = 0; i < rounds; ++i) {  // short ones: on a busy machine some of them are left alone
    without = std::min(without, seconds(off, 20'000, Policy::Random));
    with = std::min(with, seconds(on, 20'000, Policy::Random));
  }
  if (argc == 4) {
    std::printf("not looking %.0f ns, looking for races %.0f ns: %.1f %% more\n", without * 1e9, with * 1e9,
                (with / without - 1) * 100);
    return 0;
  }
  const double kernel_off = fastest(Subject({"kernel"}, {}), 3, 3),
               kernel_on = fastest(Subject({"kernel"}, {true, Points::Racy}), 3, 3);
  const double kernel_native = native("kernel_native"), kernel_tsan = native("kernel_tsan");

  std::printf("| what | measured | wanted |\n| --- | --- | --- |\n");
  row("small body, looking for races, against not looking", (with / without - 1) * 100, "% more time", "≤ 30 %");
  row("plain access, nothing tracked", access_cost({}, 1'000'000, false), "ns", "≤ 3");
  row("plain access, looking for races", access_cost({true, Points::Racy}, 1'000'000, false), "ns", "≤ 15");
  row("plain access as a scheduling point", access_cost({true, Points::All}, 200'000, true), "ns", "≤ 60");
  row("memory-bound kernel, native", kernel_native * 1e3, "ms", "");
  row("the same, controlled, not looking for races", kernel_off * 1e3, "ms", "");
  row("the same, looking for races", kernel_on * 1e3, "ms", "");
  if (kernel_tsan > 0) {
    row("the same under ThreadSanitizer", kernel_tsan * 1e3, "ms", "");
    row("looking for races, against ThreadSanitizer", kernel_on / kernel_tsan, "times its time", "≤ 1");
  }
}
