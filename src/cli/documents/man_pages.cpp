// The texts of the man pages.
#include "cli/documents/man_pages.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "cli/options.hpp"

namespace lockstep {
namespace {

struct Example {
  const char* command;
  const char* what;
};

struct Description {
  const char* text;  // paragraphs
  std::vector<Example> examples;
};

constexpr const char* kDebugText =
    "Replays the schedule in FILE under gdb, with one OS thread per thread of the program, and stops at the "
    "failure. "
    "The commands of gdb work as usual; info threads says what each thread waits for. In addition:\n"
    ".TP\n.B lockstep back \\fR[\\fIN\\fR], \\fBlockstep next \\fR[\\fIN\\fR]\nN steps of the story back or on, in "
    "whatever thread they are\n"
    ".TP\n.B lockstep goto \\fISTEP\\fR\nto this step\n"
    ".TP\n.B lockstep switch\nto the next step of another thread\n"
    ".TP\n.B lockstep next\\-conflict\nto the next step of another thread that conflicts with this one\n"
    ".TP\n.B lockstep other\nto the other access of a data race\n"
    ".TP\n.B lockstep failure\nto the failure\n"
    ".TP\n.B lockstep story\nprints the steps\n"
    ".PP\nGoing back runs the program again from the beginning; the execution is the same every time.";

constexpr const char* kWorkText =
    "Serves the explorations that \\fBlockstep run \\-\\-queue\\fR puts into the queue, as long as it is not "
    "interrupted. "
    "Programs that this machine lacks come through the queue. "
    "Whoever may write to the queue decides what this command runs: see SECURITY.md. "
    "Prints a line when it joins an exploration and when it leaves. Exits with 2 if Redis cannot be reached, or "
    "refuses the password, at the start; later it waits for Redis to come back.";

// By command.
const std::map<std::string_view, Description>& descriptions() {
  static const std::map<std::string_view, Description> table = {
      {"run",
       {"Runs PROGRAM along one thread schedule after another until one fails, everything is covered, or the budget is "
        "used up. "
        "A program of a known test framework is explored one test case at a time. A failing schedule is simplified, "
        "printed, and "
        "saved in \\-\\-out. Options after PROGRAM are given to the program.",
        {{"lockstep run ./bank", "explore a program"},
         {"lockstep run --preemptions 2 --require-complete ./bank", "fail unless 2 preemptions are proved"},
         {"lockstep run --time 5m --junit result.xml ./queue_test --gtest_filter='Queue.*'",
          "five minutes for some tests, with a result for CI"},
         {"lockstep run --strategy pct:depth=3 --executions 10000 ./server_test", "sample a large program"},
         {"lockstep run --keep-going --races ignore ./bank", "every distinct bug, but no data races"}}}},
      {"replay",
       {"Runs the schedule in FILE once more. Exits with 1 if the failure is reproduced. A program that has changed is "
        "replayed "
        "as far as it does the same; then the first difference is named, and the exit code is 0.",
        {{"lockstep replay lockstep-out/bank/bug-1.lockstep", "repeat a failure"},
         {"lockstep replay bug-1.lockstep --times 100 --quiet", "count how often it fails"},
         {"lockstep replay bug-1.lockstep -- ./bank-fixed", "the same schedule with another program"}}}},
      {"explain",
       {"Replays the schedule in FILE and shows the failure step by step. Exits with 0 if it did.",
        {{"lockstep explain lockstep-out/bank/bug-1.lockstep", "on the terminal"},
         {"lockstep explain bug-1.lockstep --html bug.html", "as a page"}}}},
      {"debug",
       {kDebugText,
        {{"lockstep debug lockstep-out/bank/bug-1.lockstep", "interactively"},
         {"lockstep debug bug-1.lockstep --command bt --command 'info threads'", "print and exit"},
         {"lockstep debug bug-1.lockstep --interpreter=mi", "as gdb, for a front end"}}}},
      {"shrink",
       {"Searches longer than run does for a schedule with the same failure and fewer preemptions, switches and steps. "
        "Exits with 0 if it wrote one.",
        {{"lockstep shrink bug-1.lockstep", "writes bug-1-shrunk.lockstep"},
         {"lockstep shrink bug-1.lockstep -o small.lockstep", "writes small.lockstep"}}}},
      {"resume",
       {"Continues an exploration that was interrupted or killed, with the options it was started with.",
        {{"lockstep resume lockstep-out/bank", "continue"}}}},
      {"work",
       {kWorkText,
        {{"lockstep work --queue redis://user:password@build1:6379/nightly", "a worker per core"},
         {"lockstep work --queue rediss://build1/nightly --workers 4", "four workers, with TLS"}}}},
      {"list",
       {"Lists what can be chosen, and which functions of the program are scheduling points.",
        {{"lockstep list strategies", "for --strategy"},
         {"lockstep list ranks --json", "for --rank, as JSON"},
         {"lockstep list tests ./queue_test", "the test cases of a program"}}}},
  };
  return table;
}

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string heading(std::string_view name, std::string_view summary) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"lockstep {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(upper),
                     LOCKSTEP_VERSION, roff(name), roff(summary));
}

std::string examples(const std::vector<Example>& list) {
  std::string text = ".SH EXAMPLES\n";
  for (const Example& example : list)
    text += fmt::format(".TP\n.B {}\n{}\n", roff(example.command), roff(example.what));
  return text;
}

const char* const kExitStatus =
    ".SH EXIT STATUS\n.TP\n.B 0\nno bug found\n.TP\n.B 1\nbug found, or reproduced\n.TP\n.B 2\nwrong usage or bad "
    "input\n"
    ".TP\n.B 3\nno bug found, but not complete (with \\-\\-require\\-complete)\n"
    ".TP\n.B 4\nthe program could not be controlled\n"
    ".TP\n.B 130\ninterrupted; prints how to resume\n";

std::string command_page(const CommandInfo& command) {
  const auto found = descriptions().find(command.name);
  const Description description = found != descriptions().end() ? found->second : Description{command.summary, {}};
  std::string page = heading(fmt::format("lockstep-{}", command.name), command.summary);
  page += fmt::format(".SH SYNOPSIS\n.B lockstep {}\n{}\n.SH DESCRIPTION\n{}\n", command.name, roff(command.arguments),
                      description.text);
  if (command.bit) page += ".SH OPTIONS\n";
  for (const OptionInfo& option : option_table()) {
    if (!(option.commands & command.bit)) continue;
    page += fmt::format(".TP\n.B \\-\\-{}{}\n{}\n", roff(option.name),
                        option.value ? fmt::format(" \\fI{}\\fR", roff(option.value)) : "", roff(option.help));
  }
  page += examples(description.examples);
  if (command.bit == kRun || command.bit == kReplay) page += kExitStatus;
  return page + ".SH SEE ALSO\n.BR lockstep (1)\n";
}

std::string tool_page() {
  std::string page = heading("lockstep", "explore the thread schedules of a program, and replay the one that fails") +
                     ".SH SYNOPSIS\n";
  for (const CommandInfo& command : command_table())
    page += fmt::format(".B lockstep {}\n{}\n.br\n", command.name, roff(command.arguments));
  page +=
      ".SH DESCRIPTION\n"
      "Lockstep controls the threads of an ordinary C++ program and runs it along one schedule after another.\n"
      "It reports deadlocks, data races, livelocks, crashes and failed assertions, each with a schedule that replays\n"
      "it exactly. If it finds no bug, it states in one sentence what it has proved.\n"
      ".PP\n"
      "Programs compiled with\n.BR lockstep\\-cxx \" or \" lockstep\\-cc\n"
      "are preempted at synchronisation calls, atomics and racy accesses; other programs only at synchronisation "
      "calls.\n"
      ".SH COMMANDS\n";
  std::string pages;
  for (const CommandInfo& command : command_table()) {
    page += fmt::format(".TP\n.BR lockstep\\-{} (1)\n{}\n", command.name, roff(command.summary));
    pages += fmt::format(".BR lockstep\\-{} (1),\n", command.name);
  }
  page += examples({{"lockstep-cxx -std=c++20 -g bank.cpp -o bank", "compile with instrumentation"},
                    {"lockstep run ./bank", "explore its schedules"},
                    {"lockstep debug lockstep-out/bank/bug-1.lockstep", "look at a failure in gdb"}});
  return page +
         ".SH ENVIRONMENT\n.TP\n.B LOCKSTEP_OPTIONS\noptions as key=value:key=value, named as on the command line.\n"
         ".TP\n.B NO_COLOR\nif set, no colours.\n"
         ".SH FILES\n.TP\n.I lockstep.toml\noptions, read from the working directory; the environment and the command "
         "line override them.\n"
         ".TP\n.I lockstep\\-out/PROGRAM\nfailing schedules, and the state of an interrupted exploration.\n" +
         kExitStatus + ".SH SEE ALSO\n" + pages + ".BR lockstep\\-cxx (1),\n.BR gdb (1)\n";
}

std::string wrapper_page() {
  return heading("lockstep-cxx, lockstep-cc", "compile and link a program that Lockstep can control") +
         ".SH SYNOPSIS\n.B lockstep\\-cxx\n[\\-\\-lockstep\\-compiler=COMPILER] [options of g++] FILE...\n.br\n"
         ".B lockstep\\-cc\n[\\-\\-lockstep\\-compiler=COMPILER] [options of gcc] FILE...\n"
         ".SH DESCRIPTION\n"
         "They call g++ or gcc with the same options, add instrumentation of memory accesses and atomics, and link "
         "Lockstep's runtime. "
         "Started without lockstep, the program runs as always. Compile with \\-g, so that reports have names and "
         "lines.\n"
         ".SH ENVIRONMENT\n.TP\n.BR LOCKSTEP_CXX \", \" LOCKSTEP_CC\nthe compiler to call, as in LOCKSTEP_CXX=clang++; "
         "may be several words\n" +
         examples({{"lockstep-cxx -std=c++20 -g bank.cpp -o bank", "compile and link"},
                   {"make CXX=lockstep-cxx CC=lockstep-cc", "a whole project with make"},
                   {"cmake -DCMAKE_CXX_COMPILER=lockstep-cxx -DCMAKE_C_COMPILER=lockstep-cc ..", "with CMake"},
                   {"LOCKSTEP_CXX=clang++ lockstep-cxx -g bank.cpp -o bank", "with another compiler"}}) +
         ".SH SEE ALSO\n.BR lockstep (1),\n.BR lockstep\\-run (1)\n";
}

}  // namespace

std::string man_page(std::string_view name) {
  if (name == "lockstep") return tool_page();
  if (name == "lockstep-cxx") return wrapper_page();
  if (name == "lockstep-cc") return ".so man1/lockstep-cxx.1\n";
  for (const CommandInfo& command : command_table())
    if (name == fmt::format("lockstep-{}", command.name)) return command_page(command);
  return "";
}

}  // namespace lockstep
