// std::string as instrumented code: what forward.cpp calls instead of libstdc++'s members. A class of another name, so
// that both are there; the name has as many parts as std::char_traits, so that the mangled names of the members differ
// in nothing else.
#include "runtime/stdcxx/redirect.hpp"

#include <string>

template <class C>
struct LockstepTraits : std::char_traits<C> {};

template class std::basic_string<char, LockstepTraits<char>>;
