// Exemptions: code that is not instrumented but need not be named in a claim about a program.
#pragma once
#include <cstdint>
#include <string_view>

namespace lockstep {

enum class Exemption : uint8_t {
  None,
  Always,     // does not belong to the program
  Framework,  // a test framework: the templates of the C++ library that it calls are exempt as well
};

// A shared object, by its file name.
Exemption exempts_module(std::string_view file_name);
// A function, by its linkage name.
Exemption exempts_function(std::string_view linkage_name);
// The functions of a source file, by the path that the compiler recorded.
Exemption exempts_source(std::string_view path);

// A template or inline function of the C++ library; every object file that uses it has a copy.
bool is_standard_function(std::string_view linkage_name);
// A function of the language runtime, which only the C++ library defines: exceptions, casts.
bool is_runtime_function(std::string_view linkage_name);

}  // namespace lockstep
