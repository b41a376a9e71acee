// Recognises test frameworks and runs the program to list its tests.
#include "target/test_list.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "target/test_frameworks.hpp"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

// Time for listing; a program that takes longer is explored as a whole.
constexpr auto kListPatience = std::chrono::seconds(20);
constexpr size_t kLongestList = 16 << 20;

// Does the file contain one of these texts? Frameworks have the names of their options in it, however they are linked.
bool mentions(const std::string& path, std::initializer_list<std::string_view> texts) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0 || info.st_size <= 0) {
    if (fd >= 0) close(fd);
    return false;
  }
  const size_t size = static_cast<size_t>(info.st_size);
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (bytes == MAP_FAILED) return false;
  const bool found = std::any_of(texts.begin(), texts.end(), [&](std::string_view text) {
    return memmem(bytes, size, text.data(), text.size()) != nullptr;
  });
  munmap(bytes, size);
  return found;
}

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

[[noreturn]] void become(const std::string& path, const Words& command, const std::string& runtime, int out,
                         bool errors_too) {
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(out, 1);
  dup2(errors_too ? out : null, 2);
  setpgid(0, 0);
  if (!runtime.empty()) {
    const char* preload = getenv("LD_PRELOAD");
    setenv("LD_PRELOAD", (runtime + (preload && *preload ? std::string(":") + preload : "")).c_str(), 1);
  }
  Words words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  _exit(127);
}

// The output of a program that runs normally, not under control; nullopt if it does not end.
std::optional<std::string> output_of(const std::string& path, const Words& command, const TestProgram& program,
                                     bool errors_too = false) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t pid = fork();
  if (pid == 0) become(path, command, program.runtime, ends[1], errors_too);
  close(ends[1]);
  std::string text;
  bool ended = false;
  constexpr int kPoll = 50;  // milliseconds
  const auto deadline = std::chrono::steady_clock::now() + kListPatience;
  while (pid > 0 && !ended && text.size() < kLongestList) {
    if (std::chrono::steady_clock::now() >= deadline || (program.stop && program.stop())) break;
    pollfd p{ends[0], POLLIN, 0};
    if (poll(&p, 1, kPoll) <= 0) continue;
    char bytes[4096];
    const ssize_t n = read(ends[0], bytes, sizeof bytes);
    if (n > 0)
      text.append(bytes, static_cast<size_t>(n));
    else if (n == 0)
      ended = true;
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  if (pid > 0) {
    if (!ended) kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  return ended ? std::optional(text) : std::nullopt;
}

std::optional<std::string> listing_of(const TestProgram& program, std::initializer_list<const char*> more,
                                      bool errors_too = false) {
  return output_of(program.path, with(program.command, more), program, errors_too);
}

bool given(const Words& command, std::string_view option) {
  return std::any_of(command.begin() + 1, command.end(), [&](const std::string& w) { return w.starts_with(option); });
}

bool names_google_tests(const Words& command) {
  const char* variable = std::getenv("GTEST_FILTER");
  return given(command, "--gtest_filter=") || (variable && *variable);
}

std::optional<TestList> google_tests(const TestProgram& program) {
  const Words& command = program.command;
  for (const char* option : {"--gtest_list_tests", "--help", "-h", "-?", "/?"})
    if (given(command, option)) return std::nullopt;
  const auto text = listing_of(program, {"--gtest_list_tests"});
  if (!text) return std::nullopt;
  TestList list{"GoogleTest", command[0] + " --gtest_list_tests", {}};
  for (const std::string& name : read_google_list(*text, given(command, "--gtest_also_run_disabled_tests")))
    list.tests.push_back({name, google_command(command, name)});
  const bool ran = text->find("[==========]") != std::string::npos;  // GoogleTest did not get the option
  if (list.tests.empty() && (ran || !names_google_tests(command))) return std::nullopt;
  return list;
}

// Catch2 version 2 has an option for names alone; version 3 prints them with the option for quiet output.
std::optional<TestList> catch_tests(const TestProgram& program) {
  const Words& command = program.command;
  for (const char* option : {"--list", "-l", "-h", "--help", "-?"})
    if (given(command, option)) return std::nullopt;
  const auto overview = listing_of(program, {"--list-tests"});
  if (!overview) return std::nullopt;
  const bool all = overview->starts_with("All available test cases:");
  if (!all && !overview->starts_with("Matching test cases:")) return std::nullopt;
  const bool version2 = mentions(program.path, {"list-test-names-only"});
  Words ask = with(command, {"--list-tests", "--verbosity", "quiet"});
  if (version2) ask = with(command, {"--list-test-names-only"});
  if (all) ask.push_back("~[.]");  // hidden tests run only when they are named
  const auto names = output_of(program.path, ask, program);
  if (!names) return std::nullopt;
  TestList list{"Catch2", command[0] + " --list-tests", {}};
  for (const std::string& name : read_catch_list(*names))
    list.tests.push_back({name, catch_command(command, name, !all)});
  if (list.tests.empty() && all) return std::nullopt;
  return list;
}

std::optional<TestList> doctest_tests(const TestProgram& program) {
  const auto text = listing_of(program, {"--list-test-cases"});
  if (!text || text->find("[doctest]") == std::string::npos) return std::nullopt;
  TestList list{"doctest", program.command[0] + " --list-test-cases", {}};
  for (const std::string& name : read_doctest_list(*text))
    list.tests.push_back({name, doctest_command(program.command, name)});
  return list;
}

// Boost.Test prints its list to standard error.
std::optional<TestList> boost_tests(const TestProgram& program) {
  const auto text = listing_of(program, {"--list_content"}, true);
  if (!text) return std::nullopt;
  TestList list{"Boost.Test", program.command[0] + " --list_content", {}};
  for (const std::string& name : read_boost_list(*text))
    list.tests.push_back({name, boost_command(program.command, name)});
  if (list.tests.empty()) return std::nullopt;
  return list;
}

std::optional<TestList> other_tests(const TestProgram& program) {
  TestList list{"--tests-list", program.list_command, {}};
  const Words run = words_of(program.run_command);
  const auto text = output_of("/bin/sh", {"sh", "-c", program.list_command}, {.stop = program.stop});
  if (!text) return std::nullopt;
  for (const std::string& name : read_plain_list(*text))
    list.tests.push_back({name, run.empty() ? with(program.command, {name.c_str()}) : with_name(run, name)});
  return list;
}

}  // namespace

std::optional<TestList> list_tests(const TestProgram& program) {
  if (!program.list_command.empty()) return other_tests(program);
  const std::string& path = program.path;
  if (mentions(path, {"gtest_list_tests", "libgtest"})) return google_tests(program);
  if (mentions(path, {"dt-list-test-cases"})) return doctest_tests(program);
  if (mentions(path, {"libboost_unit_test_framework"}) ||
      (mentions(path, {"list_content"}) && mentions(path, {"Boost.Test", "boost.test", "boost9unit_test"})))
    return boost_tests(program);
  if (mentions(path, {"list-test-names-only", "libCatch2"}) ||
      (mentions(path, {"list-tests"}) && mentions(path, {"Catch2"})))
    return catch_tests(program);
  return std::nullopt;
}

}  // namespace lockstep
