// std::string as instrumented code: forward.cpp calls this instead of libstdc++'s members. The class has another name,
// so that both versions can coexist. The name has as many parts as std::char_traits, so that the mangled names of the
// members differ only in that.
#include "runtime/stdcxx/redirect.hpp"

#include <string>

template <class C>
struct LockstepTraits : std::char_traits<C> {};

template class std::basic_string<char, LockstepTraits<char>>;
