// Correct programs as people write them: none of them may be reported, hang, or refuse control.
//
// A program is a function; EVERYDAY(name) { ... } registers it, `./everyday name` runs it, without a name they are
// listed.
#pragma once
#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

using Program = void (*)();
inline std::map<std::string, Program>& programs() {
  static std::map<std::string, Program> all;
  return all;
}
struct Registered {
  Registered(const char* name, Program program) { programs()[name] = program; }
};
#define EVERYDAY(name)                         \
  static void name();                          \
  static Registered name##_entry(#name, name); \
  static void name()
