// Renames the compiler's calls in code of the C++ library that is compiled into the runtime with instrumentation: its
// accesses and allocations count as the program's, at the place where the program called the library. The renaming is
// done in assembler, because these names are built into the compiler.
#pragma once

// clang-format off
#define LOCKSTEP_RENAME(from, to) asm(".set " #from ", lockstep_library_" #to)
#define LOCKSTEP_RENAME_SIZED(n)                         \
  LOCKSTEP_RENAME(__tsan_read##n, read##n);              \
  LOCKSTEP_RENAME(__tsan_write##n, write##n);            \
  LOCKSTEP_RENAME(__tsan_read_write##n, write##n);       \
  LOCKSTEP_RENAME(__tsan_unaligned_read##n, read##n);    \
  LOCKSTEP_RENAME(__tsan_unaligned_write##n, write##n);  \
  LOCKSTEP_RENAME(__tsan_unaligned_read_write##n, write##n)
// clang-format on
LOCKSTEP_RENAME_SIZED(1);
LOCKSTEP_RENAME_SIZED(2);
LOCKSTEP_RENAME_SIZED(4);
LOCKSTEP_RENAME_SIZED(8);
LOCKSTEP_RENAME_SIZED(16);
LOCKSTEP_RENAME(__tsan_read_range, read_range);
LOCKSTEP_RENAME(__tsan_write_range, write_range);
LOCKSTEP_RENAME(__tsan_func_entry, nothing);
LOCKSTEP_RENAME(__tsan_func_exit, nothing);
LOCKSTEP_RENAME(__tsan_init, nothing);  // this does not make the program instrumented
LOCKSTEP_RENAME(__tsan_memcpy, memcpy);
LOCKSTEP_RENAME(__tsan_memmove, memmove);
LOCKSTEP_RENAME(__tsan_memset, memset);
LOCKSTEP_RENAME(memcpy, memcpy);
LOCKSTEP_RENAME(memmove, memmove);
LOCKSTEP_RENAME(memset, memset);
LOCKSTEP_RENAME(memchr, memchr);
LOCKSTEP_RENAME(memcmp, memcmp);
LOCKSTEP_RENAME(bcmp, memcmp);
LOCKSTEP_RENAME(strlen, strlen);
LOCKSTEP_RENAME(_Znwm, new);
LOCKSTEP_RENAME(_ZdlPv, delete);
LOCKSTEP_RENAME(_ZdlPvm, delete);
LOCKSTEP_RENAME(_ZSt19__throw_logic_errorPKc, throw_logic_error);
LOCKSTEP_RENAME(_ZSt20__throw_length_errorPKc, throw_length_error);
LOCKSTEP_RENAME(_ZSt24__throw_out_of_range_fmtPKcz, throw_out_of_range);
