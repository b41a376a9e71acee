// Prints warnings, stacks and result files.
#include "cli/console.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "report/annotations.hpp"
#include "report/junit.hpp"
#include "report/sarif.hpp"
#include "report/user_frames.hpp"

namespace lockstep {

Console::Console(const Options& options) : options_(options), human_(options.uses_standard_output() ? stderr : stdout) {
  terminal_ = detect_terminal(fileno(human_), options.color);
}

void Console::print(const std::string& text) const {
  const std::string safe = printable(text, terminal_.colour);
  std::fwrite(safe.data(), 1, safe.size(), human_);
  std::fflush(human_);
}

void Console::warn(const std::string& text) {
  for (const std::string& said : warnings_)
    if (said == text) return;
  warnings_.push_back(text);
  std::fflush(human_);  // keeps the order if both streams are one terminal
  fmt::print(stderr, "lockstep: warning: {}\n", printable(text, false));
}

void Console::print_stack(std::span<const uint64_t> stack, Symbols& symbols) const {
  constexpr size_t kDepth = 8;
  const std::vector<Frame> frames = user_frames(stack, symbols);
  for (size_t i = 0; i < std::min(frames.size(), kDepth); ++i) {
    const std::string place = long_place(frames[i].where);
    print(fmt::format("       at {}{}\n", frames[i].where.function, place.empty() ? "" : "  " + place));
  }
}

void Console::write_file(const std::string& path, const std::string& text) {
  FILE* file = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  bool good = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == stdout)
    good = std::fflush(file) == 0 && good;
  else if (file != nullptr)
    good = std::fclose(file) == 0 && good;
  if (!good) warn(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void Console::annotate(const Finding& bug) const {
  if (!options_.annotate) return;
  const char* root = std::getenv("GITHUB_WORKSPACE");
  std::error_code error;
  print("\n" + github_annotation(bug, root ? root : std::filesystem::current_path(error).string()));
}

void Console::write_results(JsonReport report, const Exploration& result) {
  std::error_code error;
  report.version = LOCKSTEP_VERSION;
  report.folder = std::filesystem::current_path(error).string();
  if (!options_.json.empty()) write_file(options_.json, to_json(report, result));
  if (!options_.junit.empty()) write_file(options_.junit, to_junit(report, result));
  if (!options_.sarif.empty()) write_file(options_.sarif, to_sarif(report, result));
}

int fail(const Error& error) {
  fmt::print(stderr, "lockstep: {}\n", printable(error.message, false));
  return static_cast<int>(error.code);
}

}  // namespace lockstep
