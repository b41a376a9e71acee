# The compiler options that make code visible to Lockstep, and what uses them: lockstep::lockstep, lockstep_instrument(),
# the wrappers and the examples.
#
# gcc: volatile accesses get entry points of their own; constant-size mem* calls stay calls, because gcc would inline
# them without instrumentation; -Wtsan warns about fences, which Lockstep does handle. clang keeps mem* calls by itself.
# gcc declares __tsan_atomic* as leaf functions, which never come back to this translation unit. So -fipa-reference takes
# a static variable for unchanged across them and keeps it in a register, although another thread runs inside the call.
# Hooks at function entry and exit would undo the tail calls by which coroutines resume each other. Other functions make
# no tail calls, because reports show the stack; gcc has no option that leaves coroutines out, lockstep/instrumented.h
# does. clang's coroutines make theirs in any case.
# clang before 21 asks of a member's address, not of the local variable, whether it escapes, and so leaves accesses to
# locals that other threads use uninstrumented (llvm-project#132739). Without uses to look at, all count as escaped.
# CK_USE_CC_BUILTINS is Concurrency Kit's switch for tools that do not look into assembler.
set(LOCKSTEP_GNU_OPTIONS --param=tsan-distinguish-volatile=1 -fno-builtin-memcpy -fno-builtin-memmove
    -fno-builtin-memset -fno-ipa-reference -Wno-tsan -DCK_USE_CC_BUILTINS=1
    --param=tsan-instrument-func-entry-exit=0) # and -include lockstep/instrumented.h
set(LOCKSTEP_CLANG_OPTIONS -mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-func-entry-exit=0
    -mllvm -capture-tracking-max-uses-to-explore=0 -fno-optimize-sibling-calls -DCK_USE_CC_BUILTINS=1)

# Interface target that instruments what links to it. Only compile options: -fsanitize=thread must not reach the link.
# `include_folder` is Lockstep's.
function(lockstep_define_instrumentation target include_folder)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  list(JOIN LOCKSTEP_CLANG_OPTIONS " " clang)
  target_compile_options(
    ${target}
    INTERFACE -g
              -fsanitize=thread
              "$<$<OR:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<COMPILE_LANG_AND_ID:C,GNU>>:${LOCKSTEP_GNU_OPTIONS}>"
              "$<$<OR:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<COMPILE_LANG_AND_ID:C,GNU>>:SHELL:-include \"${include_folder}/lockstep/instrumented.h\">"
              "$<$<OR:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<COMPILE_LANG_AND_ID:C,Clang>>:SHELL:${clang}>"
              "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-isystem \"${include_folder}/lockstep/libcxx\">")
endfunction()

# lockstep::lockstep from lockstep::rt, lockstep::explore and a folder of headers: the same for an installed package and
# for a project that has Lockstep as a subdirectory.
function(lockstep_define_targets include_folder)
  if(TARGET lockstep::lockstep)
    return()
  endif()
  lockstep_define_instrumentation(lockstep::instrumentation ${include_folder})
  # Before everything else in the link, and kept although no object may refer to it by then.
  add_library(lockstep::runtime INTERFACE IMPORTED GLOBAL)
  target_link_libraries(lockstep::runtime INTERFACE -Wl,--push-state,--no-as-needed lockstep::rt -Wl,--pop-state
                                                    -pthread)
  add_library(lockstep::lockstep INTERFACE IMPORTED GLOBAL)
  target_include_directories(lockstep::lockstep SYSTEM INTERFACE ${include_folder})
  target_link_libraries(lockstep::lockstep INTERFACE lockstep::instrumentation lockstep::runtime)
  if(TARGET lockstep::explore)
    target_link_libraries(lockstep::lockstep INTERFACE lockstep::explore)
  endif()
endfunction()

# lockstep_instrument(target...)    these targets, and what they link statically
# lockstep_instrument(DIRECTORY)    every target of this directory and those below it
# The code of the product becomes visible to the search. Whatever a program links with such code gets the runtime.
function(lockstep_instrument)
  if("${ARGV}" STREQUAL "DIRECTORY")
    cmake_language(EVAL CODE "cmake_language(DEFER CALL lockstep_instrument_directory [[${CMAKE_CURRENT_SOURCE_DIR}]])")
    return()
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "lockstep_instrument: '${target}' is neither a target nor DIRECTORY")
    endif()
    # At the end of the project, when it is known what it links.
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${CMAKE_SOURCE_DIR}]] CALL lockstep_instrument_target ${target})")
  endforeach()
endfunction()

function(lockstep_instrument_directory folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    lockstep_instrument_target(${target})
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  get_property(own GLOBAL PROPERTY LOCKSTEP_OWN_FOLDER) # Lockstep itself, where it is a part of the project
  foreach(below IN LISTS folders)
    if(NOT below STREQUAL "${own}")
      lockstep_instrument_directory(${below})
    endif()
  endforeach()
endfunction()

function(lockstep_instrument_target target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  get_target_property(imported ${target} IMPORTED)
  get_target_property(kind ${target} TYPE)
  get_target_property(done ${target} LOCKSTEP_INSTRUMENTED)
  if(imported OR done OR NOT kind MATCHES "EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY|INTERFACE_LIBRARY")
    return()
  endif()
  set_target_properties(${target} PROPERTIES LOCKSTEP_INSTRUMENTED ON)
  set(libraries INTERFACE_LINK_LIBRARIES)
  if(NOT kind STREQUAL "INTERFACE_LIBRARY")
    # By property: target_link_libraries() would insist on the signature that the project uses.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES lockstep::instrumentation)
    if(kind MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY")
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:lockstep::runtime>)
    else()
      set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES lockstep::runtime)
    endif()
    list(APPEND libraries LINK_LIBRARIES)
  endif()
  foreach(property IN LISTS libraries)
    get_target_property(linked ${target} ${property})
    foreach(library IN LISTS linked)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
      if(TARGET "${library}" AND NOT library MATCHES "^lockstep")
        get_target_property(library_kind ${library} TYPE)
        if(library_kind MATCHES "STATIC_LIBRARY|OBJECT_LIBRARY|INTERFACE_LIBRARY")
          lockstep_instrument_target(${library})
        endif()
      endif()
    endforeach()
  endforeach()
endfunction()
