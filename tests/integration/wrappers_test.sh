#!/bin/bash
# What a build system may ask of a compiler, asked of the wrappers.
#
# usage: wrappers_test.sh BIN_DIR LIB_DIR [COMPILER...]
#   BIN_DIR   holds lockstep-cxx and lockstep-cc
#   LIB_DIR   holds liblockstep-rt.so; where it does not exist yet, a stub takes its place
# shellcheck disable=SC2016 # what is in single quotes is for the inner shell
set -u

bin=$(readlink -f "$1") lib=$2
shift 2
if (($# == 0)); then set -- g++ clang++; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 checks=0
unset LOCKSTEP_CXX LOCKSTEP_CC

# A prefix of its own, with a blank in its name, so that nothing depends on the build tree.
prefix="$work/a prefix"
mkdir -p "$prefix/bin" "$prefix/lib" "$prefix/include/lockstep"
cp "$bin/lockstep-cxx" "$bin/lockstep-cc" "$prefix/bin/"
cp "$bin/../include/lockstep/instrumented.h" "$prefix/include/lockstep/"
printf '#define FOUND_HEADERS 1\n' >"$prefix/include/lockstep/probe.h"
if [[ -e $lib/liblockstep-rt.so ]]; then
  cp "$lib/liblockstep-rt.so" "$prefix/lib/"
else
  {
    for symbol in init func_entry func_exit atomic_thread_fence read_range write_range vptr_update vptr_read \
      atomic32_load atomic32_store atomic32_fetch_add atomic32_compare_exchange_strong atomic32_compare_exchange_val \
      {,volatile_}{read,write}{1,2,4,8,16} unaligned_{read,write}{2,4,8,16}; do
      printf 'int __tsan_%s(void) { return 0; }\n' "$symbol"
    done
  } >"$work/stub.c"
  gcc -shared -fPIC -w -o "$prefix/lib/liblockstep-rt.so" "$work/stub.c" || exit 1
fi
cxx="$prefix/bin/lockstep-cxx" cc="$prefix/bin/lockstep-cc"

sources="$work/some sources"
mkdir "$sources"
cd "$sources" || exit 1
cat >main.cpp <<'END'
#include <lockstep/probe.h>
#ifdef NEEDS_MACRO
static_assert(NEEDS_MACRO == 7, "");
#endif
volatile int shared_value;
extern "C" int other();
int main() { shared_value = FOUND_HEADERS; return 0; }
END
cat >two.cpp <<'END'
extern "C" int other();
int counter;
int main() { counter = 1; return other(); }
END
printf '#ifdef __cplusplus\nextern "C"\n#endif\nint other(void) { static int n; return n++; }\n' >other.c
cp other.c other.cpp
cp main.cpp 'a main.cpp'
cp main.cpp main.txt
printf 'int broken(' >broken.cpp
cat >local.cpp <<'END'
struct Pair { int first, second; };
void share(Pair&);
void change() { Pair pair; share(pair); pair.second = 2; share(pair); }
END
printf '#define PRECOMPILED 1\n' >common.hpp

check() { # what condition...
  local what=$1
  shift
  checks=$((checks + 1))
  if ! "$@" >"$work/log" 2>&1; then
    printf 'FAIL  %s: %s\n' "$compiler" "$what"
    sed 's/^/      /' "$work/log"
    failures=$((failures + 1))
  fi
}
needs() { readelf -d "$1" | grep -q "NEEDED.*$2"; }
instrumented() { nm "$1" | grep -q ' __tsan_'; }
not() { ! "$@"; }
controlled() { # program: instrumented, linked with our library first, never with libtsan
  instrumented "$1" && not needs "$1" libtsan &&
    readelf -d "$1" | grep NEEDED | head -1 | grep -q liblockstep-rt
}
silent() { # no output, exit 0
  local output
  if output=$("$@" 2>&1) && [[ -z $output ]]; then return 0; fi
  printf '%s\n' "$output"
  return 1
}
builds() { # output command...: silently, a controlled program
  local program=$1
  shift
  rm -f "$program"
  silent "$@" && controlled "$program"
}
exits_with() { # status command...
  local expected=$1 status=0
  shift
  "$@" || status=$?
  [[ $status == "$expected" ]]
}
no_leftovers() { [[ -z $(find "$work/tmp" -mindepth 1) ]]; }

mkdir "$work/tmp"
export TMPDIR=$work/tmp

for compiler in "$@"; do
  rm -rf out && mkdir out
  export LOCKSTEP_CXX=$compiler
  case $compiler in *clang*) export LOCKSTEP_CC=clang ;; *) export LOCKSTEP_CC=gcc ;; esac

  for level in -O0 -O2; do
    check "$level: compiles and links at once" builds out/p "$cxx" $level main.cpp -o out/p
    check "$level: runs" out/p
    check "$level: compiles" silent "$cxx" $level -c main.cpp -o out/main.o
    check "$level: instruments" instrumented out/main.o
    check "$level: a member of a local that others know" sh -c '"$0" "$1" -S local.cpp -o - | grep -q __tsan_write4' "$cxx" $level
    check "$level: volatile accesses are told apart" sh -c 'nm out/main.o | grep -q __tsan_volatile_write4'
    check "$level: links" builds out/p "$cxx" out/main.o -o out/p
  done
  check 'debug information by default' sh -c 'readelf -S out/main.o | grep -q debug_info'
  check 'no debug information when told so' silent "$cxx" -g0 -c main.cpp -o out/g0.o
  check 'no debug information when told so' not sh -c 'readelf -S out/g0.o | grep -q debug_info'

  check 'several sources of two kinds' builds out/p "$cxx" two.cpp other.cpp -o out/p
  check 'source and object' sh -c '"$0" -c other.cpp -o out/other.o && "$0" two.cpp out/other.o -oout/p && out/p' "$cxx"
  check 'C' builds out/p "$cc" -x c - -o out/p < <(printf 'int x; int main(void) { return x++; }')
  check 'a path with blanks' builds "out/a p" "$cxx" 'a main.cpp' -o 'out/a p'
  check 'an absolute path' builds "$work/p" "$cxx" "$sources/main.cpp" -o "$work/p"
  check 'a.out by default' sh -c 'cd out && "$0" ../main.cpp && test -x a.out' "$cxx"
  check '-x for a strange suffix' builds out/p "$cxx" -x c++ main.txt -o out/p
  check '-x none again' sh -c '"$0" -xc++ main.txt -x none out/other.o -o out/p' "$cxx"
  check 'standard input' builds out/p "$cxx" -x c++ - -o out/p <main.cpp
  check 'macros and warnings' builds out/p "$cxx" -std=c++20 -Wall -Wextra -Werror -D NEEDS_MACRO=7 -I . main.cpp -o out/p
  check 'user asks for the sanitizer too' builds out/p "$cxx" -fsanitize=thread main.cpp -o out/p
  check 'user asks for it when linking' builds out/p "$cxx" -fsanitize=thread out/main.o -o out/p
  check 'another sanitizer is kept' sh -c '"$0" -fsanitize=thread,undefined -c two.cpp -o out/u.o -ftrapv' "$cxx"
  check 'the runtime comes before libc' builds out/p "$cxx" main.cpp -lc -lpthread -o out/p
  check 'link-time optimisation' builds out/p "$cxx" -O2 -flto two.cpp other.cpp -o out/p

  check 'a shared library' silent "$cxx" -shared -fPIC other.cpp -o out/libother.so -Wl,-z,defs
  check 'a shared library is controlled' sh -c 'readelf -d out/libother.so | grep -q lockstep-rt'
  check 'libraries keep their order' builds out/p "$cxx" two.cpp -Lout -Wl,-rpath,"$sources/out" -lother -o out/p
  check 'the library is used' out/p
  check 'a relocatable object stays one' sh -c '"$0" -r -nostdlib out/main.o -o out/r.o && ! readelf -d out/r.o | grep -q NEEDED' "$cxx"

  printf '%s\n' '-DNEEDS_MACRO=7' '"a main.cpp"' '-o' "'out/from response'" >out/arguments.rsp
  check 'a response file' builds 'out/from response' "$cxx" @out/arguments.rsp
  printf 'out/main.o -o out/plain\\ response' >out/arguments.rsp
  check 'a response file with a backslash' builds 'out/plain response' "$cxx" @out/arguments.rsp

  check 'preprocesses only' sh -c '"$0" -E -P main.cpp | grep -q "shared_value = 1"' "$cxx"
  check 'assembly only' sh -c '"$0" -S main.cpp -o - | grep -q tsan' "$cxx"
  check 'dependencies only' sh -c '"$0" -M main.cpp | grep -q probe.h' "$cxx"
  check 'dependencies on the side' sh -c '"$0" -MMD -c main.cpp -o out/m.o && test -f out/m.d' "$cxx"
  check 'dependencies of a program' sh -c '"$0" -MD main.cpp -o out/prog && grep -q "^out/prog:.*main.cpp" out/prog.d' "$cxx"
  check 'dependencies where asked' sh -c '"$0" -MD -MF out/x.d -MT t main.cpp -o out/p && grep -q "^t:" out/x.d' "$cxx"
  check 'a precompiled header' sh -c '"$0" -x c++-header common.hpp -o out/common.pch && test -s out/common.pch' "$cxx"

  check 'says its version' sh -c '"$0" --version | head -1 | grep -q .' "$cxx"
  check 'says its target' sh -c 'test "$("$0" -dumpmachine)" = "$($1 -dumpmachine)"' "$cxx" "$compiler"
  check 'passes on the status of a compile error' exits_with 1 "$cxx" broken.cpp -o out/p
  check 'passes on the status of a link error' not "$cxx" two.cpp -o out/p
  check 'no program after an error' not test -e out/missing
  check 'refuses static' exits_with 2 "$cxx" -static main.cpp -o out/p
  check 'says why it refuses static' sh -c '"$0" -static main.cpp 2>&1 | grep -q "static program cannot be controlled"' "$cxx"
  ln -sf "$cxx" out/link-to-wrapper
  check 'works through a symbolic link' builds out/p out/link-to-wrapper main.cpp -o out/p
  check 'leaves no temporary files' no_leftovers
  # A stub takes the place of the library with explore(): only who calls it depends on it.
  printf 'int explored() { return 0; }' | "$compiler" -x c++ -shared -fPIC -o "$prefix/lib/liblockstep.so" -Wl,-soname,liblockstep.so -
  printf 'int explored(); int main() { return explored(); }' >out/explores.cpp
  check 'explore() needs no library to be named' builds out/p "$cxx" out/explores.cpp -o out/p
  check 'nor when objects are linked' sh -c '"$0" -c out/explores.cpp -o out/e.o && "$0" out/e.o -o out/p && out/p' "$cxx"
  check 'who does not call it does not depend on it' sh -c '"$0" main.cpp -o out/p && ! readelf -d out/p | grep -q "liblockstep\.so"' "$cxx"
  check 'programs say that they were built for Lockstep' sh -c 'readelf -d out/p | grep -q "NEEDED.*liblockstep-rt\.so"'
  rm "$prefix/lib/liblockstep.so"
done

compiler=choice
unset LOCKSTEP_CXX LOCKSTEP_CC
check 'chooses a compiler by option' sh -c '"$0" --lockstep-compiler=clang++ --version | grep -q clang' "$cxx"
check 'a compiler of several words' env LOCKSTEP_CXX='env g++' "$cxx" main.cpp -o out/p

printf '%d checks, %d failed\n' "$checks" "$failures"
((failures == 0))
