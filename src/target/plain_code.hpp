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

// Code that ran beside other threads, and whose memory accesses were not seen.
struct PlainCode {
  std::string file;      // source file, without its folder; empty: unknown
  std::string function;  // readable; empty: the whole file, or the whole module if `file` is empty
  std::string module;    // file name of the executable or library
  bool may_run = false;  // it is not known whether it ran
  auto operator<=>(const PlainCode&) const = default;
};

// What a worker is to watch in addition.
struct CodeToWatch {
  std::vector<PlainFunction> functions;
  std::vector<LockedInstruction> locked;
};

// Its name in a sentence: "Counter::add (counter.cpp)", "counter.cpp", "libcounter.so".
std::string in_words(const PlainCode& code);

class PlainCodeFinder {
 public:
  // Without a cache, creates one.
  explicit PlainCodeFinder(std::shared_ptr<InstrumentationCache> files)
      : files_(files ? std::move(files) : std::make_shared<InstrumentationCache>()) {}

  // The code of modules that are not in `known` yet, at its addresses in the process; at most `room` functions.
  CodeToWatch find(const std::vector<Module>& modules, std::set<std::string>& known, size_t room);

  // The code that ran according to the facts. A library loaded by the program may have run before it was examined, so
  // it is included if it has such code.
  std::vector<PlainCode> ran(const std::set<Fact>& facts, const std::set<std::string>& libraries);

  InstrumentationCache& files() { return *files_; }

 private:
  struct Function {
    const UninstrumentedFunction* code;
    std::string module;
  };
  std::shared_ptr<InstrumentationCache> files_;
  // By address, where different workers may have loaded different libraries.
  std::multimap<uint64_t, Function> functions_;
  std::set<PlainCode> unknown_;  // modules that cannot be read, or have too many functions
};

}  // namespace lockstep
