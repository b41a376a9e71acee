// Stream output in libstdc++.so. Formatted output writes to its stream (at least, it sets the width to zero) and reads
// its operand. Only these accesses are recorded; the other state of a stream is internal. Different threads may use the
// standard streams at the same time.
#include <dlfcn.h>

#include "runtime/base/runtime.hpp"
#include "runtime/checks/accesses.hpp"
#include "runtime/process/libraries.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace {

// The layouts of libstdc++.
struct Buffer {
  const void* functions;
  char *in_begin, *in_at, *in_end, *out_begin, *out_at, *out_end;
};
struct Base {  // basic_ios
  const void* functions;
  long precision, width;
  char more[208];
  Buffer* buffer;
};
struct Stream {
  const int64_t* functions;  // preceded by the distance to the virtual base

  Base& base() { return *reinterpret_cast<Base*>(reinterpret_cast<char*>(this) + functions[-3]); }
};

// The accesses of output are known only for a string's buffer; other buffers may have their own synchronisation.
bool is_string_buffer(const Buffer* buffer) {
  static const char* table;
  if (UNLIKELY(!table))
    table =
        static_cast<const char*>(dlsym(RTLD_DEFAULT, "_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE"));
  return table && buffer && buffer->functions == table + 16;
}

bool is_standard(Stream* stream) {
  static const void* standard[3];
  if (UNLIKELY(!standard[0])) {
    standard[1] = dlsym(RTLD_DEFAULT, "_ZSt4cerr");
    standard[2] = dlsym(RTLD_DEFAULT, "_ZSt4clog");
    standard[0] = dlsym(RTLD_DEFAULT, "_ZSt4cout");
  }
  return stream == standard[0] || stream == standard[1] || stream == standard[2];
}

struct Text {  // std::string
  const char* begin;
  size_t size;
};

class Output {
 public:
  explicit Output(const void* caller)
      : caller_(caller), on_(controlled() && runtime.instrumented && !from_library(caller)) {}
  void to(Stream* stream) const {
    if (!on_ || is_standard(stream)) return;
    Base& base = stream->base();
    plain_access<8, kWrite>(&base.width, caller_);
    if (is_string_buffer(base.buffer)) plain_access<8, kWrite>(&base.buffer->out_at, caller_);
  }
  void of(Stream* stream) const {
    if (!on_) return;
    const Base& base = stream->base();
    if (is_string_buffer(base.buffer)) plain_access<8, 0>(&base.buffer->out_at, caller_);
  }
  void of(const void* p, size_t size) const {
    if (on_) range_access(p, size, RaceAccess::kRange, caller_);
  }
  void of(const Text& text) const {
    of(&text, sizeof text);
    of(text.begin, text.size);
  }

 private:
  const void* caller_;
  bool on_;
};

}  // namespace

#define LOCKSTEP_OUTPUT(name, type, accesses)                                              \
  LOCKSTEP_EXPORT void* name(Stream* stream, type a) {                                     \
    static void* (*real)(Stream*, type);                                                   \
    if (UNLIKELY(!real)) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, #name)); \
    const Output output(__builtin_return_address(0));                                      \
    output.to(stream);                                                                     \
    accesses;                                                                              \
    return real(stream, a);                                                                \
  }
#define LOCKSTEP_NUMBER(letter, type)       \
  LOCKSTEP_OUTPUT(_ZNSolsE##letter, type, ) \
  LOCKSTEP_OUTPUT(_ZNSo9_M_insertI##letter##EERSoT_, type, )
LOCKSTEP_NUMBER(b, bool)
LOCKSTEP_NUMBER(l, long)
LOCKSTEP_NUMBER(m, unsigned long)
LOCKSTEP_NUMBER(x, long long)
LOCKSTEP_NUMBER(y, unsigned long long)
LOCKSTEP_NUMBER(d, double)
LOCKSTEP_NUMBER(e, long double)
LOCKSTEP_NUMBER(PKv, const void*)
LOCKSTEP_OUTPUT(_ZNSolsEs, short, )
LOCKSTEP_OUTPUT(_ZNSolsEt, unsigned short, )
LOCKSTEP_OUTPUT(_ZNSolsEi, int, )
LOCKSTEP_OUTPUT(_ZNSolsEj, unsigned, )
LOCKSTEP_OUTPUT(_ZNSolsEf, float, )
LOCKSTEP_OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char, )
LOCKSTEP_OUTPUT(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char*,
                if (a) output.of(a, length(a) + 1))
LOCKSTEP_OUTPUT(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE,
                const Text*, output.of(*a))

// std::__ostream_insert: the compiler reduces the output of characters and strings to this call.
LOCKSTEP_EXPORT void* _ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(Stream* stream,
                                                                                                    const char* a,
                                                                                                    long size) {
  static void* (*real)(Stream*, const char*, long);
  if (UNLIKELY(!real))
    real = reinterpret_cast<decltype(real)>(
        dlsym(RTLD_NEXT, "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l"));
  const Output output(__builtin_return_address(0));
  output.to(stream);
  output.of(a, static_cast<size_t>(size));
  return real(stream, a, size);
}

// str() reads all output so far. The result is returned in memory.
#define LOCKSTEP_STR(name)                                                                 \
  LOCKSTEP_EXPORT void* name(void* result, Stream* stream) {                               \
    static void* (*real)(void*, Stream*);                                                  \
    if (UNLIKELY(!real)) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, #name)); \
    Output(__builtin_return_address(0)).of(stream);                                        \
    return real(result, stream);                                                           \
  }
LOCKSTEP_STR(_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv)
LOCKSTEP_STR(_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv)
LOCKSTEP_STR(_ZNKRSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv)
LOCKSTEP_STR(_ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv)
