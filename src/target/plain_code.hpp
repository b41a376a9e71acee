// The program's code that is not instrumented, for breakpoints (runtime/checks/plain_functions.hpp) and for claims.
#pragma once
#include <compare>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "target/instrumentation.hpp"

namespace lockstep {

struct Module;

// Code whose memory accesses were not seen although it ran beside other threads.
struct PlainCode {
  std::string file;      // source file, without its folder; empty: unknown
  std::string function;  // readable; empty: all of the file, or of the module if there is no file either
  std::string module;    // file name of the executable or library
  bool may_run = false;  // whether it ran is not known
  auto operator<=>(const PlainCode&) const = default;
};

// How to name it in a sentence: "Counter::add (counter.cpp)", "counter.cpp", "libcounter.so".
std::string in_words(const PlainCode& code);

class PlainCodeFinder {
 public:
  // Without a cache it has its own.
  explicit PlainCodeFinder(std::shared_ptr<InstrumentationCache> files)
      : files_(files ? std::move(files) : std::make_shared<InstrumentationCache>()) {}

  // The functions of modules that are not in `known` yet, at their addresses in the process; at most `room`.
  std::vector<PlainFunction> find(const std::vector<Module>& modules, std::set<std::string>& known, size_t room);

  // What ran according to the facts. A library that the program loaded itself may have run before it was looked at: if
  // it has such code, it is among them.
  std::vector<PlainCode> ran(const std::set<Fact>& facts, const std::set<std::string>& libraries);

  InstrumentationCache& files() { return *files_; }

 private:
  struct Function {
    const UninstrumentedFunction* code;
    std::string module;
  };
  std::shared_ptr<InstrumentationCache> files_;
  std::multimap<uint64_t, Function> functions_;  // by address; workers may have loaded different libraries there
  std::set<PlainCode> unknown_;                  // modules that cannot be looked at, or have too many functions
};

}  // namespace lockstep
