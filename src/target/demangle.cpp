// Shortens demangled names step by step.
#include "target/demangle.hpp"

#include <cxxabi.h>
#include <cctype>
#include <cstdlib>

namespace lockstep {
namespace {

constexpr size_t kLongestArguments = 40;

void erase_all(std::string& text, std::string_view what) {
  for (size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
}

bool starts_at(std::string_view text, size_t at, std::string_view what) { return text.substr(at, what.size()) == what; }

// Length of an operator name at `at` ("operator<<"), so that its characters do not count as brackets; 0 if there is
// none.
size_t operator_name(std::string_view text, size_t at) {
  constexpr std::string_view kWord = "operator";
  if (!starts_at(text, at, kWord)) return 0;
  if (at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_')) return 0;
  for (std::string_view op : {"()", "<=>", "<<=", ">>=", "->*", "->", "<<", ">>", "<=", ">=", "<", ">"})
    if (starts_at(text, at + kWord.size(), op)) return kWord.size() + op.size();
  return 0;
}

// Removes template argument lists.
std::string without_templates(std::string_view text) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    if (size_t length = operator_name(text, i)) {
      if (depth == 0) out += text.substr(i, length);
      i += length;
      continue;
    }
    const char c = text[i++];
    if (c == '<') {
      ++depth;
    } else if (c == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      out += c;
    }
  }
  return out;
}

// Replaces "{lambda(int)#2}::operator()" and clang's "$_1::operator()" by "lambda#2".
std::string with_short_lambdas(std::string text) {
  for (size_t at; (at = text.find("{lambda(")) != std::string::npos;) {
    const size_t hash = text.find('#', at), end = text.find('}', at);
    if (hash == std::string::npos || end == std::string::npos || hash > end) break;
    text.replace(at, end - at + 1, "lambda" + text.substr(hash, end - hash));
  }
  for (size_t at; (at = text.find("$_")) != std::string::npos;) {
    size_t end = at + 2;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    const int number = end > at + 2 ? std::atoi(text.c_str() + at + 2) : 0;
    text.replace(at, end - at, "lambda#" + std::to_string(number + 1));
  }
  constexpr std::string_view kCall = "::operator()";
  for (size_t at = 0; (at = text.find("lambda#", at)) != std::string::npos; ++at) {
    size_t end = at + 7;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    if (starts_at(text, end, kCall)) text.erase(end, kCall.size());
  }
  return text;
}

// The start of the function's own argument list: the last '(' at depth 0 that is not part of a name.
size_t argument_list(std::string_view text) {
  size_t start = std::string_view::npos;
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    if (size_t length = operator_name(text, i)) {
      i += length;
      continue;
    }
    if (text[i] == '(' && depth++ == 0) start = i;
    if (text[i] == ')' && depth > 0) --depth;
    ++i;
  }
  return start;
}

// Removes the argument lists of enclosing functions: "main()::lambda#1" becomes "main::lambda#1".
std::string without_inner_arguments(std::string_view name) {
  std::string out;
  int depth = 0;
  for (size_t i = 0; i < name.size();) {
    if (size_t length = operator_name(name, i)) {
      if (depth == 0) out += name.substr(i, length);
      i += length;
      continue;
    }
    const char c = name[i++];
    if (c == '(') {
      ++depth;
    } else if (c == ')' && depth > 0) {
      --depth;
      if (starts_at(name, i, " const")) i += 6;
    } else if (depth == 0) {
      out += c;
    }
  }
  return out;
}

// "int Queue::size" becomes "Queue::size"; "operator new" and conversion operators keep their space.
std::string without_return_type(std::string name) {
  const size_t keep = name.find("operator ");
  const size_t blank = name.rfind(' ', keep == std::string::npos ? std::string::npos : keep);
  if (blank != std::string::npos && (keep == std::string::npos || blank < keep)) name.erase(0, blank + 1);
  while (!name.empty() && (name.front() == '*' || name.front() == '&')) name.erase(0, 1);
  return name;
}

}  // namespace

std::string shorten_name(std::string_view demangled) {
  if (demangled.starts_with("guard variable for ")) return "guard of " + shorten_name(demangled.substr(19));
  std::string text(demangled);
  for (size_t at; (at = text.find(" [clone")) != std::string::npos;) text.erase(at);
  for (size_t at; (at = text.find("[abi:")) != std::string::npos;) {
    const size_t end = text.find(']', at);
    if (end == std::string::npos) break;
    text.erase(at, end - at + 1);
  }
  erase_all(text, "(anonymous namespace)::");
  erase_all(text, "__cxx11::");
  erase_all(text, "__1::");  // libc++: an inline namespace of std
  text = with_short_lambdas(without_templates(text));
  const size_t open = argument_list(text);
  if (open == std::string::npos || open == 0) return without_return_type(without_inner_arguments(text));
  const size_t close = text.find_last_of(')');
  if (close == std::string::npos || close < open || starts_at(text, close + 1, "::"))
    return without_return_type(without_inner_arguments(text));
  std::string name = without_return_type(without_inner_arguments(std::string_view(text).substr(0, open)));
  std::string arguments = text.substr(open, close - open + 1);
  if (name.find("lambda#") != std::string::npos || arguments.size() > kLongestArguments) return name;
  return name + arguments;
}

std::string readable_name(std::string_view linkage_name) {
  if (!linkage_name.starts_with("_Z")) return std::string(linkage_name);
  // A local copy made by the compiler ("foo.cold", "foo.constprop.0"): some such names demangle only without the
  // suffix.
  std::string name(linkage_name);
  for (bool cut : {false, true}) {
    if (cut) {
      const size_t dot = name.find('.');
      if (dot == std::string::npos) break;
      name.erase(dot);
    }
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    if (text != nullptr) {
      std::string result = shorten_name(text);
      std::free(text);
      return result;
    }
  }
  return std::string(linkage_name);
}

}  // namespace lockstep
