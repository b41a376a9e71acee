// Selects the frames of the user's code and formats places.
#include "report/user_frames.hpp"

#include <algorithm>
#include <string_view>

namespace lockstep {
namespace {

constexpr std::string_view kLibraries[] = {"libc.so",    "libc-",      "libstdc++.", "libc++",     "libc++abi",
                                           "libpthread", "ld-linux",   "libgcc_s",   "libm.so",    "liblockstep-rt",
                                           "libtsan",    "linux-vdso", "[vdso]",     "liblockstep"};
constexpr std::string_view kHeaders[] = {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/build/"};
constexpr std::string_view kNamespaces[] = {"std::", "__gnu_cxx::"};
// Without debug information: the C library, start-up code, helpers of the compiler. A program may have functions with
// such names, too.
constexpr std::string_view kFunctions[] = {"__gthread",    "__cxa_",        "__tsan_",      "pthread_",       "_start",
                                           "__libc_start", "__assert_fail", "operator new", "operator delete"};

// Test frameworks as they are installed: without debug information.
constexpr std::string_view kFrameworks[] = {"testing::", "Catch::", "doctest::", "boost::unit_test::"};

template <size_t N>
bool starts_with_any(std::string_view text, const std::string_view (&prefixes)[N]) {
  for (std::string_view prefix : prefixes)
    if (text.starts_with(prefix)) return true;
  return false;
}

bool is_runtime(const Frame& frame) { return frame.module.starts_with("liblockstep-rt"); }

// Code of a library's templates, compiled into the program: what a static object's destructor runs.
bool is_library_call(const Frame& frame) {
  return !frame.module.empty() && !starts_with_any(frame.module, kLibraries) &&
         frame.where.function.starts_with("std::");
}

std::string line_suffix(int line) { return line > 0 ? ":" + std::to_string(line) : ""; }

}  // namespace

bool is_user_code(const Frame& frame) {
  if (frame.module.empty() || starts_with_any(frame.module, kLibraries)) return false;
  if (starts_with_any(frame.where.file, kHeaders)) return false;
  if (frame.where.file.ends_with("/lockstep/lockstep.hpp")) return false;
  const std::string& function = frame.where.function;
  if (starts_with_any(function, kNamespaces)) return false;
  return !frame.where.file.empty() ||
         !(starts_with_any(function, kFunctions) || starts_with_any(function, kFrameworks));
}

std::vector<Frame> frames_of(std::span<const uint64_t> stack, Symbols& symbols) {
  std::vector<Frame> frames;
  for (uint64_t address : stack)
    for (Frame& frame : symbols.resolve(address)) frames.push_back(std::move(frame));
  return frames;
}

std::vector<Frame> user_frames(std::span<const uint64_t> stack, Symbols& symbols) {
  std::vector<Frame> all = frames_of(stack, symbols), user, other;
  for (Frame& frame : all) {
    if (is_user_code(frame)) {
      user.push_back(std::move(frame));
    } else if (!is_runtime(frame)) {
      other.push_back(std::move(frame));
    }
  }
  if (!user.empty()) return user;
  const auto call = std::find_if(other.rbegin(), other.rend(), is_library_call);
  if (call != other.rend()) other.erase(other.begin(), call.base() - 1);
  return other;
}

std::optional<Frame> innermost_user_frame(std::span<const uint64_t> stack, Symbols& symbols) {
  std::optional<Frame> other;
  for (uint64_t address : stack)
    for (Frame& frame : symbols.resolve(address)) {
      if (is_user_code(frame)) return std::move(frame);
      if ((!other && !is_runtime(frame)) || is_library_call(frame)) other = std::move(frame);
    }
  return other;
}

std::string short_function(const std::string& function) {
  const size_t at = function.find('(');
  const bool unusual = at == std::string::npos || at == 0 || function.find("operator") != std::string::npos ||
                       function.starts_with("(anonymous");
  return unusual ? function : function.substr(0, at);
}

std::string place_in_function(const Location& where) {
  const std::string place = short_place(where);
  if (place.empty() || where.function.empty()) return place.empty() ? short_function(where.function) : place;
  return place + " in " + short_function(where.function);
}

std::string short_place(const Location& where) {
  if (where.file.empty()) return {};
  return where.file.substr(where.file.find_last_of('/') + 1) + line_suffix(where.line);
}

std::string long_place(const Location& where) { return where.file.empty() ? "" : where.file + line_suffix(where.line); }

}  // namespace lockstep
