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
  LibraryCall::Kind kind = LibraryCall::Operation;
};
constexpr Known kKnown[] = {
    {"std::call_once", "std::call_once"},
    {"std::async", "std::async"},
    {"std::future", ""},
    {"std::shared_future", ""},
    {"std::__basic_future", "future::wait"},
    {"std::promise", ""},
    {"std::packaged_task", ""},
    {"std::shared_ptr", "shared_ptr", LibraryCall::Counts},
    {"std::__shared_ptr", "shared_ptr", LibraryCall::Counts},
    {"std::__shared_count", "shared_ptr", LibraryCall::Counts},
    {"std::_Sp_counted", "shared_ptr", LibraryCall::Counts},
    {"std::make_shared", "std::make_shared"},
    {"std::weak_ptr", "weak_ptr", LibraryCall::Counts},
    {"std::__weak_ptr", "weak_ptr", LibraryCall::Counts},
    {"std::__weak_count", "weak_ptr", LibraryCall::Counts},
    {"std::latch", ""},
    {"std::barrier", ""},
    {"std::counting_semaphore", ""},
    {"std::stop_source", ""},
    {"std::stop_token", ""},
    {"std::stop_callback", ""},
    {"std::jthread", ""},
    {"std::vector", "", LibraryCall::Container},
    {"std::list", "", LibraryCall::Container},
    {"std::forward_list", "", LibraryCall::Container},
    {"std::deque", "", LibraryCall::Container},
    {"std::map", "", LibraryCall::Container},
    {"std::multimap", "", LibraryCall::Container},
    {"std::set", "", LibraryCall::Container},
    {"std::multiset", "", LibraryCall::Container},
    {"std::unordered_map", "", LibraryCall::Container},
    {"std::unordered_multimap", "", LibraryCall::Container},
    {"std::unordered_set", "", LibraryCall::Container},
    {"std::unordered_multiset", "", LibraryCall::Container},
    {"std::queue", "", LibraryCall::Container},
    {"std::stack", "", LibraryCall::Container},
    {"std::priority_queue", "", LibraryCall::Container},
    {"std::basic_string", "", LibraryCall::Container},
    {"std::optional", "", LibraryCall::Container},
    {"std::variant", "", LibraryCall::Container},
    {"std::any", "", LibraryCall::Container},
    {"std::function", "", LibraryCall::Container},
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
  if (name.starts_with("__cxx11::")) name.erase(0, 9);
  return name.starts_with("__atomic_base::") ? "atomic" + name.substr(name.find("::")) : name;
}

// Function names come with template arguments or without.
const Known* find_known(std::string function) {
  if (function.starts_with("std::__cxx11::")) function.erase(5, 9);
  for (const Known& known : kKnown) {
    if (!function.starts_with(known.function)) continue;
    const char next = function.size() > known.function.size() ? function[known.function.size()] : '\0';
    if (known.kind != LibraryCall::Container || next == ':' || next == '<') return &known;
  }
  return nullptr;
}

LibraryCall call_of_function(const std::string& function, std::string caller) {
  LibraryCall call{"", std::move(caller), plain(function)};
  if (const Known* known = find_known(function)) {
    call.name = known->name.empty() ? call.outermost : std::string(known->name);
    call.kind = known->kind;
  }
  return call;
}

}  // namespace

LibraryCall library_call(std::span<const uint64_t> stack, Symbols& symbols) {
  std::string outermost;  // the outermost library function between the step and the user's code
  bool async = false;
  for (const uint64_t address : stack)
    for (const Frame& frame : symbols.resolve(address)) {
      if (is_user_code(frame)) return call_of_function(outermost, frame.where.function + " " + long_place(frame.where));
      async |= frame.where.function.starts_with("std::__future_base::_Async_state");
      if (frame.where.function.starts_with("std::")) outermost = frame.where.function;
    }
  return {async ? "std::async" : "", "", "", LibraryCall::Operation};  // the thread that it has started
}

}  // namespace lockstep
