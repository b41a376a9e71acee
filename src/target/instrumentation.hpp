// Which functions of an ELF file the compiler has not instrumented: their memory accesses are not seen.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "target/nondeterministic_instructions.hpp"

namespace lockstep {

struct UninstrumentedFunction {
  enum class Kind : uint8_t {
    Program,    // plain, and the program's own
    Template,   // a copy of a template of the C++ library from an object without debug information
    Framework,  // of a test framework: not named
  };
  uint64_t begin, end;  // as in the file
  std::string name;     // as the linker knows it; empty if the file is stripped
  std::string file;     // source file, without its folder; empty if there is no debug information
  Kind kind;
};

struct FileInstrumentation {
  bool readable = false;  // there is a table of its functions
  bool position_independent = true;
  std::vector<UninstrumentedFunction> functions;  // ascending by address, one for each
};

// A function counts as instrumented if it calls the instrumentation, or if it comes from a compile unit in which others
// do and touches no memory that threads could share. A function that does nothing of that kind is harmless and left
// out; so is what code_exemptions.hpp lists. A function of an instrumented unit that touches memory without a single
// call was excluded in its source, by no_sanitize("thread") or by being assembler.
FileInstrumentation find_uninstrumented(const std::string& path);

// The same for explorations of one program that follow each other, such as those of its test cases: each file is read
// once. What it returns stays.
class InstrumentationCache {
 public:
  const FileInstrumentation& of(const std::string& path);
  const NondeterministicInstructions& nondeterministic(const std::string& path);

 private:
  std::map<std::string, FileInstrumentation> files_;
  std::map<std::string, NondeterministicInstructions> nondeterministic_;
};

}  // namespace lockstep
