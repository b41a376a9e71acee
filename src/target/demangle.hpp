// Readable names of C++ functions and variables.
#pragma once
#include <string>
#include <string_view>

namespace lockstep {

// "Queue::push(int)" for "_ZN5QueueIiSt9allocatorIiEE4pushEi": no template arguments, no return type, no anonymous
// or inline namespaces; an argument list longer than 40 characters is dropped; lambdas are "main::lambda#1".
// A name that is not mangled is returned as it is.
std::string readable_name(std::string_view linkage_name);

// As readable_name(), for text that is already demangled.
std::string shorten_name(std::string_view demangled);

}  // namespace lockstep
