// Code that a claim about a program need not name although it is not instrumented.
#pragma once
#include <cstdint>
#include <string_view>

namespace lockstep {

enum class Exemption : uint8_t {
  None,
  Always,     // not the program's business
  Framework,  // a test framework: what it calls of its own copies of the C++ library's templates is exempt as well
};

// A shared object, by its file name.
Exemption exempts_module(std::string_view file_name);
// A function, by its linkage name.
Exemption exempts_function(std::string_view linkage_name);
// The functions of a source file, by the path that the compiler recorded.
Exemption exempts_source(std::string_view path);

// A template or an inline function of the C++ library, which every object that uses it has a copy of.
bool is_standard_function(std::string_view linkage_name);
// Of the runtime behind the language, which nobody else defines: exceptions, casts.
bool is_runtime_function(std::string_view linkage_name);

}  // namespace lockstep
