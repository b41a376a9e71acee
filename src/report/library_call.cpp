// The table of library functions, and the search for them in stacks.
#include "report/library_call.hpp"

#include <string_view>
#include <vector>

#include "report/user_frames.hpp"

namespace lockstep {
namespace {

// The beginning of a library function's name, and the name for the user; empty: the function's own name.
struct Known {
  std::string_view function, name;
};
constexpr Known kKnown[] = {
    {"std::call_once", "std::call_once"},
    {"std::async", "std::async"},
    {"std::future", ""},
    {"std::shared_future", ""},
    {"std::__basic_future", "future::wait"},
    {"std::promise", ""},
    {"std::packaged_task", ""},
    {"std::shared_ptr", "shared_ptr"},
    {"std::__shared_ptr", "shared_ptr"},
    {"std::__shared_count", "shared_ptr"},
    {"std::_Sp_counted", "shared_ptr"},
    {"std::make_shared", "std::make_shared"},
    {"std::weak_ptr", "weak_ptr"},
    {"std::__weak_ptr", "weak_ptr"},
    {"std::__weak_count", "weak_ptr"},
    {"std::latch", ""},
    {"std::barrier", ""},
    {"std::counting_semaphore", ""},
    {"std::stop_source", ""},
    {"std::stop_token", ""},
    {"std::stop_callback", ""},
    {"std::jthread", ""},
};

// "std::future<int>::get()" → "future::get", "std::packaged_task<void ()>::operator()()" → "packaged_task::operator()".
std::string plain(std::string_view function) {
  constexpr std::string_view kCall = "::operator()";
  std::string name;
  int depth = 0;
  if (const size_t call = function.find(kCall); call != std::string_view::npos)
    return plain(function.substr(0, call)) + std::string(kCall);
  for (const char c : function.substr(0, function.find('('))) {
    if (c == '<') ++depth;
    if (depth == 0) name += c;
    if (c == '>') --depth;
  }
  if (name.starts_with("std::")) name.erase(0, 5);
  return name.starts_with("__atomic_base::") ? "atomic" + name.substr(name.find("::")) : name;
}

std::string known_name(std::string_view function) {
  for (const Known& known : kKnown)
    if (function.starts_with(known.function)) return known.name.empty() ? plain(function) : std::string(known.name);
  return {};
}

}  // namespace

LibraryCall library_call(std::span<const uint64_t> stack, Symbols& symbols) {
  std::string outermost;  // the outermost library function between the step and the user's code
  bool async = false;
  for (const uint64_t address : stack)
    for (const Frame& frame : symbols.resolve(address)) {
      if (is_user_code(frame))
        return {known_name(outermost), frame.where.function + " " + long_place(frame.where), plain(outermost)};
      async |= frame.where.function.starts_with("std::__future_base::_Async_state");
      if (frame.where.function.starts_with("std::")) outermost = frame.where.function;
    }
  return {async ? "std::async" : "", "", ""};  // the thread that it has started
}

}  // namespace lockstep
