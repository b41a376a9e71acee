// Finds the functions of an ELF file that are not instrumented: their memory accesses are not seen.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/channel.hpp"
#include "target/nondeterministic_instructions.hpp"

namespace lockstep {

struct UninstrumentedFunction {
  enum class Kind : uint8_t {
    Program,    // the program's own code
    Template,   // a copy of a template of the C++ library from an object without debug information
    Framework,  // of a test framework: not reported
  };
  uint64_t begin, end;  // as in the file
  std::string name;     // linkage name; empty if the file is stripped
  std::string file;     // source file, without its folder; empty if there is no debug information
  Kind kind;
};

// An atomic instruction in a function of an instrumented unit, and that function.
struct FollowedInstruction {
  LockedInstruction instruction;  // addresses as in the file
  UninstrumentedFunction function;
};

struct FileInstrumentation {
  bool readable = false;  // the file has a table of its functions
  bool position_independent = true;
  std::vector<UninstrumentedFunction> functions;  // ascending by address, without duplicates
  std::vector<FollowedInstruction> followed;
};

// A function counts as instrumented if it calls the instrumentation, or if other functions of its compile unit do and
// it touches no memory that threads could share. An uninstrumented function without such accesses is harmless and left
// out, and so is everything in code_exemptions.hpp. A function of an instrumented unit that touches memory without any
// call was excluded in its source, by no_sanitize("thread") or because it is assembler. Atomic instructions in
// functions of instrumented units are followed, so they do not count as accesses that are not seen.
FileInstrumentation find_uninstrumented(const std::string& path);

// Results for consecutive explorations of one program, for example of its test cases: each file is read once.
// References to results stay valid.
class InstrumentationCache {
 public:
  const FileInstrumentation& of(const std::string& path);
  const NondeterministicInstructions& nondeterministic(const std::string& path);

 private:
  std::map<std::string, FileInstrumentation> files_;
  std::map<std::string, NondeterministicInstructions> nondeterministic_;
};

}  // namespace lockstep
