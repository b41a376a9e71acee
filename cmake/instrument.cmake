# The compiler options that make code visible to Lockstep; the one place that knows them. Used by the wrappers, by the
# package's lockstep::lockstep and by the examples.
#
# gcc: volatile accesses get entry points of their own; constant-size mem* calls stay calls, because gcc would inline
# them without instrumentation; -Wtsan warns about fences, which Lockstep does handle. clang keeps mem* calls by itself.
set(LOCKSTEP_GNU_OPTIONS --param=tsan-distinguish-volatile=1 -fno-builtin-memcpy -fno-builtin-memmove
    -fno-builtin-memset -Wno-tsan)
set(LOCKSTEP_CLANG_OPTIONS -mllvm -tsan-distinguish-volatile=1)

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
