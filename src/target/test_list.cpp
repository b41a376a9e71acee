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

#include "model/text.hpp"

namespace lockstep {
namespace {

using Words = std::vector<std::string>;

constexpr auto kPatience = std::chrono::seconds(20);  // for listing; what takes longer is explored as a whole
constexpr size_t kLongestList = 16 << 20;

// Does the file hold this text? Frameworks name their options in it, however they are linked.
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

[[noreturn]] void become(const std::string& path, const Words& command, const std::string& runtime, int out) {
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(out, 1);
  dup2(null, 2);
  setpgid(0, 0);
  const char* preload = getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", (runtime + (preload && *preload ? std::string(":") + preload : "")).c_str(), 1);
  Words words = command;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  _exit(127);
}

// What the program prints, run by itself and not under control; nullopt if it does not end.
std::optional<std::string> output_of(const std::string& path, const Words& command, const std::string& runtime) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const pid_t pid = fork();
  if (pid == 0) become(path, command, runtime, ends[1]);
  close(ends[1]);
  std::string text;
  bool ended = false;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (pid > 0 && !ended && text.size() < kLongestList) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd p{ends[0], POLLIN, 0};
    if (left <= 0 || poll(&p, 1, static_cast<int>(left)) == 0) break;
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

Words with(Words words, std::initializer_list<const char*> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool given(const Words& command, std::string_view option) {
  return std::any_of(command.begin() + 1, command.end(), [&](const std::string& w) { return w.starts_with(option); });
}

bool names_google_tests(const Words& command) {
  const char* variable = std::getenv("GTEST_FILTER");
  return given(command, "--gtest_filter=") || (variable && *variable);
}

std::optional<TestList> google_tests(const std::string& path, const Words& command, const std::string& runtime) {
  for (const char* option : {"--gtest_list_tests", "--help", "-h", "-?", "/?"})
    if (given(command, option)) return std::nullopt;
  const auto text = output_of(path, with(command, {"--gtest_list_tests"}), runtime);
  if (!text) return std::nullopt;
  TestList list{"GoogleTest", {}};
  for (const std::string& name : read_google_list(*text, given(command, "--gtest_also_run_disabled_tests")))
    list.tests.push_back({name, google_command(command, name)});
  const bool ran = text->find("[==========]") != std::string::npos;  // GoogleTest never saw the option
  if (list.tests.empty() && (ran || !names_google_tests(command))) return std::nullopt;
  return list;
}

// Catch2 2 has an option for names alone, 3 prints them when it is told to be quiet.
std::optional<TestList> catch_tests(const std::string& path, const Words& command, const std::string& runtime) {
  for (const char* option : {"--list", "-l", "-h", "--help", "-?"})
    if (given(command, option)) return std::nullopt;
  const auto overview = output_of(path, with(command, {"--list-tests"}), runtime);
  if (!overview) return std::nullopt;
  const bool all = overview->starts_with("All available test cases:");
  if (!all && !overview->starts_with("Matching test cases:")) return std::nullopt;
  const bool version2 = mentions(path, {"list-test-names-only"});
  Words ask = with(command, {"--list-tests", "--verbosity", "quiet"});
  if (version2) ask = with(command, {"--list-test-names-only"});
  if (all) ask.push_back("~[.]");  // hidden ones run only when they are named
  const auto names = output_of(path, ask, runtime);
  if (!names) return std::nullopt;
  TestList list{"Catch2", {}};
  for (const std::string& name : read_catch_list(*names))
    list.tests.push_back({name, catch_command(command, name, !all)});
  if (list.tests.empty() && all) return std::nullopt;
  return list;
}

}  // namespace

std::vector<std::string> read_google_list(std::string_view text, bool also_disabled) {
  std::vector<std::string> tests;
  std::string suite;
  for (std::string_view line : lines_of(text)) {
    line = line.substr(0, line.find("  #"));  // parameters
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.starts_with("  ") && !suite.empty()) {
      const std::string test = suite + std::string(line.substr(2));
      const bool plain = line.find(' ', 2) == std::string_view::npos;
      const bool disabled = test.starts_with("DISABLED_") || test.find(".DISABLED_") != std::string::npos ||
                            test.find("/DISABLED_") != std::string::npos;
      if (plain && (!disabled || also_disabled)) tests.push_back(test);
    } else {
      suite = line.ends_with('.') && line.find(' ') == std::string_view::npos ? std::string(line) : "";
    }
  }
  return tests;
}

std::vector<std::string> google_command(const Words& command, const std::string& test) {
  Words words;
  for (const std::string& word : command)
    if (words.empty() || !word.starts_with("--gtest_filter=")) words.push_back(word);
  words.push_back("--gtest_filter=" + test);
  return words;
}

std::vector<std::string> read_catch_list(std::string_view text) {
  std::vector<std::string> tests;
  for (std::string_view line : lines_of(text)) {
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) tests.emplace_back(line);
  }
  return tests;
}

std::vector<std::string> catch_command(const Words& command, const std::string& test, bool names_given) {
  // Options of Catch2 that take the next word; every other word without a dash names tests.
  static constexpr std::string_view kTakesValue[] = {"-o",
                                                     "--out",
                                                     "-r",
                                                     "--reporter",
                                                     "-n",
                                                     "--name",
                                                     "-x",
                                                     "--abortx",
                                                     "-w",
                                                     "--warn",
                                                     "-d",
                                                     "--durations",
                                                     "-D",
                                                     "--min-duration",
                                                     "-f",
                                                     "--input-file",
                                                     "-c",
                                                     "--section",
                                                     "-v",
                                                     "--verbosity",
                                                     "--order",
                                                     "--rng-seed",
                                                     "--use-colour",
                                                     "--colour-mode",
                                                     "--benchmark-samples",
                                                     "--benchmark-resamples",
                                                     "--benchmark-confidence-interval",
                                                     "--benchmark-warmup-time",
                                                     "--wait-for-keypress",
                                                     "--shard-count",
                                                     "--shard-index"};
  Words words{command[0]};
  for (size_t i = 1; i < command.size(); ++i) {
    const bool value =
        std::find(std::begin(kTakesValue), std::end(kTakesValue), command[i - 1]) != std::end(kTakesValue) && i > 1;
    if (names_given && !value && !command[i].starts_with('-')) continue;
    words.push_back(command[i]);
  }
  std::string name;
  for (const char c : test) {
    if (std::string_view("\\,[]\"*~").find(c) != std::string_view::npos) name += '\\';
    name += c;
  }
  words.push_back(name);
  return words;
}

std::optional<TestList> list_tests(const std::string& path, const Words& command, const std::string& runtime) {
  if (mentions(path, {"gtest_list_tests", "libgtest"})) return google_tests(path, command, runtime);
  if (mentions(path, {"list-test-names-only", "libCatch2"}) ||
      (mentions(path, {"list-tests"}) && mentions(path, {"Catch2"})))
    return catch_tests(path, command, runtime);
  return std::nullopt;
}

}  // namespace lockstep
