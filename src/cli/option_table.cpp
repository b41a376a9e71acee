// The table of all options.
#include <fmt/format.h>
#include <limits>
#include <random>

#include "cli/option_fields.hpp"
#include "cli/options.hpp"
#include "work/queue_address.hpp"

namespace lockstep {
namespace {

Problem when_into(When& target, const std::string& text) {
  return choice_into(target, text, {std::pair{"auto", When::Auto}, {"always", When::Always}, {"never", When::Never}});
}

Problem text_into(std::string& target, const std::string& text) {
  if (text.empty()) return "needs a value";
  target = text;
  return std::nullopt;
}

Problem draw_seed(Options& o) {
  o.strategy.seed = std::random_device()() % 1'000'000'000;
  o.seed_drawn = true;
  return std::nullopt;
}

Problem set_preemptions(Options& o, const std::string& text) {
  if (text == "none") {
    o.strategy.preemptions.reset();
    o.strategy.preemptions_none = true;
    return std::nullopt;
  }
  const auto number = parse_number(text);
  if (!number || *number > 1'000'000) return fmt::format("'{}' is not a whole number or 'none'", text);
  o.strategy.preemptions = static_cast<uint32_t>(*number);
  o.strategy.preemptions_none = false;
  return std::nullopt;
}

Problem set_time(Options& o, const std::string& text) {
  const auto time = parse_duration(text);
  if (!time || time->count() == 0) return fmt::format("'{}' is not a duration such as 30s, 5m or 1h", text);
  o.time = time;
  return std::nullopt;
}

Problem set_max_delay(Options& o, const std::string& text) {
  const auto delay = text == "none" ? std::chrono::milliseconds(kAnyDelay)
                                    : parse_duration(text).value_or(std::chrono::milliseconds(-1));
  if (delay.count() < 0 || delay.count() > kAnyDelay)
    return fmt::format("'{}' is neither a duration such as 10ms or 1s nor 'none'", text);
  o.max_delay_ms = static_cast<uint32_t>(delay.count());
  return std::nullopt;
}

Problem set_memory(Options& o, const std::string& text) {
  const auto size = parse_size(text);
  if (!size || *size == 0) return fmt::format("'{}' is not a size such as 512MiB or 2GiB", text);
  o.memory_budget = *size;
  return std::nullopt;
}

Problem set_executions(Options& o, const std::string& text) {
  uint64_t number = 0;
  if (Problem problem = number_into(number, text, 1)) return problem;
  o.executions = number;
  return std::nullopt;
}

Problem set_error(Options& o, const std::string& text) {
  std::string known;
  for (size_t i = 0; i < static_cast<size_t>(FindingKind::kCount); ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (!is_warning(kind) && kind != FindingKind::Livelock) continue;
    if (text == name_of(kind)) {
      o.errors.insert(kind);
      return std::nullopt;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(kind));
  }
  return fmt::format("'{}' is not one of: {}", text, known);
}

Problem command_into(std::string& to, const std::string& text) {
  if (Problem problem = text_into(to, text)) return problem;
  if (text.size() >= kMaxOutsideCommand)
    return fmt::format("the command is longer than {} bytes", kMaxOutsideCommand - 1);
  return std::nullopt;
}

Problem set_expected_output(Options& o, const std::string& file) {
  o.expected_output = read_text_file(file);
  return o.expected_output ? Problem{} : fmt::format("'{}' cannot be read", file);
}

constexpr unsigned kBoth = kRun | kReplay;
constexpr unsigned kRecorded = kReplay | kShrink | kExplain;  // commands that run a recorded schedule
constexpr unsigned kAll = kRun | kRecorded;

Problem add_text(std::vector<std::string>& list, const std::string& text) {
  std::string value;
  if (Problem problem = text_into(value, text)) return problem;
  list.push_back(value);
  return std::nullopt;
}

const OptionInfo kOptions[] = {
    {"strategy", "NAME[:KEY=VALUE,...]", "search strategy; see 'lockstep list strategies' [auto]", kRun, false,
     [](Options& o, const std::string& v) { return text_into(o.strategy.spec, v); }},
    {"preemptions", "N|none", "at most N preemptions per execution [depends on the strategy]", kRun, false,
     set_preemptions},
    {"variables", "N", "preempt at accesses to at most N variables [off]", kRun, false,
     [](Options& o, const std::string& v) {
       uint32_t number = 0;
       Problem problem = number_into(number, v, 0);
       if (!problem) o.strategy.variables = number;
       return problem;
     }},
    {"thread-bound", "N", "strategies vb, icb, chess: orders of at most N threads [all]", kRun, false,
     [](Options& o, const std::string& v) {
       uint32_t number = 0;
       Problem problem = number_into(number, v, 2);
       if (!problem) o.strategy.thread_bound = number;
       return problem;
     }},
    {"loop-iterations", "N", "strategy vb: of memory allocated in a loop, use only iterations 0 to N [all]", kRun,
     false,
     [](Options& o, const std::string& v) {
       uint32_t number = 0;
       Problem problem = number_into(number, v, 0);
       if (!problem) o.strategy.loop_iterations = number;
       return problem;
     }},
    {"rank", "LIST",
     "order in which best-first runs schedules: names of 'lockstep list ranks' or shared objects (<lockstep/rank.h>); "
     "'2*mdpor+pb' adds them up, a comma breaks ties [mdpor,pb]",
     kRun, false, [](Options& o, const std::string& v) { return text_into(o.strategy.rank, v); }},
    {"focus-function", "GLOB", "functions that rank 'method' prefers; repeatable", kRun, true,
     [](Options& o, const std::string& v) { return add_text(o.focus_functions, v); }},
    {"focus-variable", "GLOB",
     "variables that rank 'var' prefers and strategy 'vb' begins with, the only ones that 'pctvb' chooses; named as in reports: 'table', "
     "'table[2].balance', 'heap object allocated at bank.cpp:31'; repeatable",
     kRun, true, [](Options& o, const std::string& v) { return add_text(o.focus_variables, v); }},
    {"trust", "GLOB",
     "do not preempt while a matching function or module is on the stack; repeatable [code inside the C and C++ "
     "libraries]",
     kRun, true, [](Options& o, const std::string& v) { return add_text(o.trusted, v); }},
    {"preempt-in", "GLOB", "preempt only while a matching function or module is on the stack; repeatable [everywhere]",
     kRun, true, [](Options& o, const std::string& v) { return add_text(o.preempt_in, v); }},
    {"points", "sync|atomics|racy|all",
     "where to preempt: synchronisation calls; also atomics; also racy accesses; all shared accesses [racy if "
     "instrumented, else sync]",
     kRun, false,
     [](Options& o, const std::string& v) {
       return choice_into(o.points, v,
                          {std::pair{"sync", Points::Sync},
                           {"atomics", Points::Atomics},
                           {"racy", Points::Racy},
                           {"all", Points::All}});
     }},
    {"timeouts", "stuck|cost|always",
     "when a timed wait may time out: only if no other thread can run; earlier, counted as a preemption; any time "
     "[cost]",
     kRun, false,
     [](Options& o, const std::string& v) {
       return choice_into(
           o.timeouts, v,
           {std::pair{"stuck", Timeouts::Stuck}, {"cost", Timeouts::Cost}, {"always", Timeouts::Always}});
     }},
    {"max-delay", "DURATION|none",
     "how long a thread that can run may be held up while sleeps and timed waits of others end [10ms]", kRun, false,
     set_max_delay},
    {"spin-rounds", "K",
     "run K rounds of a spin loop before other threads must run, where the number of rounds matters [2]", kRun, false,
     [](Options& o, const std::string& v) {
       uint32_t number = 0;
       Problem problem = number_into(number, v, 1);
       if (!problem && number > kMostSpinRounds)
         problem = fmt::format("'{}' is too large; the limit is {}", v, kMostSpinRounds);
       if (!problem) o.spin_rounds = number;
       return problem;
     }},
    {"before-each", "CMD", "shell command to run before every execution, in a process of its own; one worker", kAll,
     false, [](Options& o, const std::string& v) { return command_into(o.before_each, v); }},
    {"after-each", "CMD", "shell command to run after every execution; one worker", kAll, false,
     [](Options& o, const std::string& v) { return command_into(o.after_each, v); }},
    {"outputs", "FILE",
     "write the distinct outputs of the program, with a schedule each, as JSON; writing to standard output and error "
     "becomes a scheduling point",
     kRun, false, [](Options& o, const std::string& v) { return text_into(o.outputs, v); }},
    {"expect-output", "FILE", "any other output than the content of FILE is a bug", kRun, false, set_expected_output},
    {"expect-exit", "N", "exit code of the program when nothing is wrong [0]", kRun, false,
     [](Options& o, const std::string& v) { return number_into(o.expected_exit, v, 0); }},
    {"prime", "N", "with --isolation loop: run the program N times first, to finish its one-time initialisation [0]",
     kRun, false, [](Options& o, const std::string& v) { return number_into(o.prime, v, 0); }},
    {"spurious", "N",
     "allow N spurious wakeups of condition variables per execution [0; auto: 1, after everything else is explored]",
     kRun, false, [](Options& o, const std::string& v) { return number_into(o.spurious.emplace(), v, 0); }},
    {"races", "report|ignore", "report data races in instrumented code as bugs, or only preempt there [report]", kBoth,
     false,
     [](Options& o, const std::string& v) {
       return choice_into(o.races, v, {std::pair{"report", true}, {"ignore", false}});
     }},
    {"lock-discipline", nullptr, "warn about shared variables that no common lock protects", kRun, false,
     [](Options& o, const std::string& v) { return flag_into(o.lock_discipline, v); }},
    {"leaks", nullptr, "report memory that is unreachable when the program ends", kBoth, false,
     [](Options& o, const std::string& v) { return flag_into(o.leaks, v); }},
    {"suppressions", "FILE", "data races not to report: one race:GLOB per line, for a function, file or variable",
     kBoth, false, [](Options& o, const std::string& v) { return text_into(o.suppressions, v); }},
    {"executions", "N", "stop after N executions, per test case [random strategies: 100,000]", kRun, false,
     set_executions},
    {"time", "DURATION", "stop after this time, e.g. 30s, 5m or 1h [auto: 60s]", kRun, false, set_time},
    {"steps", "N", "cut off an execution after N steps [no limit: time and memory end it]", kRun, false,
     [](Options& o, const std::string& v) {
       Problem problem = number_into(o.steps, v, 1);
       if (!problem) o.strategy.max_steps = o.steps;
       return problem;
     }},
    {"memory-budget", "SIZE", "memory for the search; the rest goes to disk [2GiB]", kRun, false, set_memory},
    {"require-complete", nullptr, "exit with code 3 if the exploration is not complete", kRun, false,
     [](Options& o, const std::string& v) { return flag_into(o.require_complete, v); }},
    {"workers", "N", "number of worker processes; 0: none here, only those of --queue [one per core]", kRun | kWork,
     false, [](Options& o, const std::string& v) { return number_into(o.workers.emplace(), v, 0); }},
    {"queue", "URL",
     "give executions to 'lockstep work' on other machines: redis://[user:password@]host:port/name, or rediss://",
     kRun | kWork, false,
     [](Options& o, const std::string& v) {
       const Result<QueueAddress> address = parse_queue_address(v);
       o.queue = v;
       return address ? Problem{} : Problem{address.error().message};
     }},
    {"isolation", "auto|loop|reset|fork", "before each execution: do nothing, restore memory, or fork [auto]", kAll,
     false,
     [](Options& o, const std::string& v) {
       return choice_into(o.isolation, v,
                          {std::pair{"auto", Isolation::Auto},
                           {"loop", Isolation::Loop},
                           {"reset", Isolation::Reset},
                           {"fork", Isolation::Fork}});
     }},
    {"backend", "auto|fiber|os-thread", "run the program's threads as fibers or as OS threads [auto]", kAll, false,
     [](Options& o, const std::string& v) {
       return choice_into(
           o.backend, v,
           {std::pair{"auto", Backend::Auto}, {"fiber", Backend::Fiber}, {"os-thread", Backend::OsThread}});
     }},
    {"checkpoints", "auto|off|always",
     "start executions from a checkpoint after their common prefix: where it saves time, never, wherever possible "
     "[auto]",
     kRun, false,
     [](Options& o, const std::string& v) {
       return choice_into(o.checkpoints, v,
                          {std::pair{"auto", CheckpointUse::Worthwhile},
                           {"off", CheckpointUse::Off},
                           {"always", CheckpointUse::Always}});
     }},
    {"tests", "each|whole",
     "explore each test case of a GoogleTest, Catch2, doctest or Boost.Test program, or the program as a whole [each]",
     kRun, false,
     [](Options& o, const std::string& v) {
       return choice_into(o.each_test, v, {std::pair{"each", true}, {"whole", false}});
     }},
    {"test", "GLOB", "explore only the test cases whose name matches", kRun, false,
     [](Options& o, const std::string& v) { return text_into(o.test_glob, v); }},
    {"tests-list", "CMD", "other test runners: a shell command that prints the names of the tests, one per line", kRun,
     false, [](Options& o, const std::string& v) { return text_into(o.tests_list, v); }},
    {"test-run", "CMD", "other test runners: the program and arguments that run one test; {} stands for its name", kRun,
     false, [](Options& o, const std::string& v) { return text_into(o.test_run, v); }},
    {"keep-going", nullptr, "do not stop at the first bug; report each distinct bug once", kRun, false,
     [](Options& o, const std::string& v) { return flag_into(o.keep_going, v); }},
    {"no-shrink", nullptr, "report a failing schedule as found, without simplifying it", kRun, false,
     [](Options& o, const std::string& v) { return flag_into(o.no_shrink, v); }},
    {"stored", "auto|replay|ignore",
     "first replay failing schedules of earlier runs in --out: those slow to find or from an older build, all, none "
     "[auto]",
     kRun, false,
     [](Options& o, const std::string& v) {
       return choice_into(o.stored, v,
                          {std::pair{"auto", Stored::Auto}, {"replay", Stored::Replay}, {"ignore", Stored::Ignore}});
     }},
    {"error", "KIND", "treat this kind of warning as a bug; repeatable", kRun, true, set_error},
    {"coverage", "FILE", "write how many distinct behaviours were met, by execution, time and preemptions, as CSV",
     kRun, false, [](Options& o, const std::string& v) { return text_into(o.coverage_file, v); }},
    {"report", "FILE", "write an HTML page about the run, also while it runs", kRun, false,
     [](Options& o, const std::string& v) { return text_into(o.report, v); }},
    {"events", "FILE", "write what happens while it runs as lines of JSON; - is standard output", kRun, false,
     [](Options& o, const std::string& v) { return text_into(o.events, v); }},
    {"seed", "N|random", "random seed; 'random' draws one and prints it [0]", kRun, false,
     [](Options& o, const std::string& v) {
       return v == "random" ? draw_seed(o) : number_into(o.strategy.seed, v, 0);
     }},
    {"output", "FILE", "output file [FILE with -shrunk before its suffix]", kShrink, false,
     [](Options& o, const std::string& v) { return text_into(o.output, v); }},
    {"out", "DIR", "directory for failing schedules and saved state [lockstep-out/PROGRAM]", kRun, false,
     [](Options& o, const std::string& v) { return text_into(o.out, v); }},
    {"html", "FILE", "write an HTML page", kExplain, false,
     [](Options& o, const std::string& v) { return text_into(o.html, v); }},
    {"perfetto", "FILE", "write a trace that ui.perfetto.dev and chrome://tracing open", kExplain, false,
     [](Options& o, const std::string& v) { return text_into(o.perfetto, v); }},
    {"debugger", "COMMAND", "debugger to start; must accept gdb's options [gdb]", kDebug, false,
     [](Options& o, const std::string& v) { return text_into(o.debugger, v); }},
    {"interpreter", "NAME", "gdb's interpreter: mi for a front end, which then starts the program itself", kDebug,
     false, [](Options& o, const std::string& v) { return text_into(o.interpreter, v); }},
    {"gdb-option", "TEXT", "another option for gdb, as in --gdb-option=-nx; repeatable", kDebug, true,
     [](Options& o, const std::string& v) { return add_text(o.debugger_options, v); }},
    {"command", "TEXT", "run this gdb command at the failure instead of an interactive console; repeatable", kDebug,
     true, [](Options& o, const std::string& v) { return add_text(o.debugger_commands, v); }},
    {"times", "N", "replay N times and count the failures [1]", kReplay, false,
     [](Options& o, const std::string& v) { return number_into(o.times, v, 1); }},
    {"json", "FILE", "write the result as JSON; - is standard output", kBoth, false,
     [](Options& o, const std::string& v) { return text_into(o.json, v); }},
    {"junit", "FILE", "write the result as JUnit XML; - is standard output", kBoth, false,
     [](Options& o, const std::string& v) { return text_into(o.junit, v); }},
    {"sarif", "FILE", "write the bugs as SARIF; - is standard output", kBoth, false,
     [](Options& o, const std::string& v) { return text_into(o.sarif, v); }},
    {"annotations", "github", "print the bugs as annotations of GitHub Actions", kBoth, false,
     [](Options& o, const std::string& v) {
       return choice_into(o.annotate, v, {std::pair{"github", true}});
     }},
    {"verbose", nullptr, "also print what each strategy did", kRun, false,
     [](Options& o, const std::string& v) { return flag_into(o.verbose, v); }},
    {"quiet", nullptr, "print bugs and warnings only", kAll | kWork, false,
     [](Options& o, const std::string& v) { return flag_into(o.quiet, v); }},
    {"color", "auto|always|never", "use colours; auto: on a terminal, unless NO_COLOR is set [auto]", kAll, false,
     [](Options& o, const std::string& v) { return when_into(o.color, v); }},
    {"progress", "auto|always|never", "show a progress line; auto: on a terminal [auto]", kRun, false,
     [](Options& o, const std::string& v) { return when_into(o.progress, v); }},
};

const CommandInfo kCommands[] = {
    {"run", "[options] [--] PROGRAM [ARGS...]", "explore the schedules of PROGRAM", kRun},
    {"replay", "[options] FILE [-- PROGRAM ARGS...]", "re-run one recorded schedule, exactly", kReplay},
    {"explain", "FILE [--html OUT] [--perfetto OUT]", "show a recorded failure step by step", kExplain},
    {"debug", "FILE", "replay under gdb, with one OS thread per program thread", kDebug},
    {"shrink", "FILE [-o OUT]", "find the simplest schedule with the same failure", kShrink},
    {"resume", "DIR", "continue an interrupted exploration", 0},
    {"work", "--queue URL [--workers N]", "serve explorations that 'lockstep run --queue' started", kWork},
    {"list", "strategies|ranks|analyses|intercepts|tests PROGRAM [--json]",
     "list strategies, ranks, analyses, intercepted functions or a program's tests", 0},
};

size_t distance(std::string_view a, std::string_view b) {  // Levenshtein
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const CommandInfo> command_table() { return kCommands; }

const char* summary_of(std::string_view command) {
  for (const CommandInfo& info : kCommands)
    if (command == info.name) return info.summary;
  return "";
}

std::span<const OptionInfo> option_table() { return kOptions; }

const OptionInfo* find_option(std::string_view name) {
  for (const OptionInfo& info : kOptions)
    if (name == info.name) return &info;
  return nullptr;
}

std::string nearest_option(std::string_view name, unsigned command) {
  std::string best;
  size_t least = name.size() / 3 + 2;  // more edits than this mean another word
  for (const OptionInfo& info : kOptions) {
    if (!(info.commands & command)) continue;
    if (const size_t d = distance(name, info.name); d < least) {
      least = d;
      best = info.name;
    }
  }
  return best;
}

}  // namespace lockstep
