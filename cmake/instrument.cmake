# The compiler options that make code visible to Lockstep; the one place that knows them. Used by the wrappers, by the
# package's lockstep::lockstep and by the examples.
#
# gcc: volatile accesses get entry points of their own; constant-size mem* calls stay calls, because gcc would inline
# them without instrumentation; -Wtsan warns about fences, which Lockstep does handle. clang keeps mem* calls by itself.
# gcc declares __tsan_atomic* as leaf functions, which never come back to this translation unit. So -fipa-reference takes
# a static variable for unchanged across them and keeps it in a register, although another thread runs inside the call.
# CK_USE_CC_BUILTINS is Concurrency Kit's switch for tools that do not look into assembler.
set(LOCKSTEP_GNU_OPTIONS --param=tsan-distinguish-volatile=1 -fno-builtin-memcpy -fno-builtin-memmove
    -fno-builtin-memset -fno-ipa-reference -Wno-tsan -DCK_USE_CC_BUILTINS=1)
set(LOCKSTEP_CLANG_OPTIONS -mllvm -tsan-distinguish-volatile=1 -DCK_USE_CC_BUILTINS=1)

# Interface target that instruments what links to it. Only compile options: -fsanitize=thread must not reach the link.
function(lockstep_define_instrumentation target)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  list(JOIN LOCKSTEP_CLANG_OPTIONS " " clang)
  target_compile_options(
    ${target}
    INTERFACE -g
              -fsanitize=thread
              "$<$<OR:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<COMPILE_LANG_AND_ID:C,GNU>>:${LOCKSTEP_GNU_OPTIONS}>"
              "$<$<OR:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<COMPILE_LANG_AND_ID:C,Clang>>:SHELL:${clang}>")
endfunction()
