# lockstep_add_test(NAME name COMMAND target-or-program
#                   [ARGS arg...]          arguments of the program
#                   [STRATEGY name]        what `lockstep run --strategy` takes
#                   [PREEMPTIONS n|none] [EXECUTIONS n] [TIME duration] [SEED n] [WORKERS n]
#                   [REQUIRE_COMPLETE]     fail unless the whole space was explored
#                   [OPTIONS option...]    further options of `lockstep run`
#                   [LABELS label...])     CTest labels
#
# Adds a CTest test that passes if no explored schedule of the program fails. What is found goes to
# lockstep-out/NAME in the build folder, so that tests can run side by side.
function(lockstep_add_test)
  lockstep_test_options()
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRE_COMPLETE" "NAME;COMMAND;${LOCKSTEP_TEST_OPTIONS}" "ARGS;OPTIONS;LABELS")
  lockstep_check_arguments(lockstep_add_test "${arg_UNPARSED_ARGUMENTS}" "NAME;COMMAND")
  lockstep_run_options(options)
  set(program ${arg_COMMAND})
  if(TARGET ${arg_COMMAND})
    set(program $<TARGET_FILE:${arg_COMMAND}>)
  endif()
  add_test(NAME ${arg_NAME} COMMAND lockstep::cli run --out ${CMAKE_CURRENT_BINARY_DIR}/lockstep-out/${arg_NAME} ${options}
                                    -- ${program} ${arg_ARGS})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}")
endfunction()

# lockstep_discover_tests(target [PREFIX text] [ARGS arg...] ...options of lockstep_add_test)
#
# One CTest test for each test case of a GoogleTest, Catch2, doctest or Boost.Test program, asked of the program when it
# has been built.
function(lockstep_discover_tests target)
  lockstep_test_options()
  get_property(folder GLOBAL PROPERTY LOCKSTEP_CMAKE_FOLDER)
  cmake_parse_arguments(PARSE_ARGV 1 arg "REQUIRE_COMPLETE" "PREFIX;${LOCKSTEP_TEST_OPTIONS}" "ARGS;OPTIONS;LABELS")
  lockstep_check_arguments(lockstep_discover_tests "${arg_UNPARSED_ARGUMENTS}" "")
  lockstep_run_options(options)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}-lockstep-tests.cmake)
  add_custom_command(
    TARGET ${target} POST_BUILD BYPRODUCTS ${list} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DLOCKSTEP=$<TARGET_FILE:lockstep::cli> -DPROGRAM=$<TARGET_FILE:${target}>
            "-DARGS=${arg_ARGS}" "-DOPTIONS=${options}" "-DPREFIX=${arg_PREFIX}" "-DLABELS=${arg_LABELS}"
            -DOUT=${CMAKE_CURRENT_BINARY_DIR}/lockstep-out/${target} -DLIST=${list}
            -P ${folder}/lockstep_write_tests.cmake)
  if(TARGET lockstep)
    add_dependencies(${target} lockstep lockstep-rt)
  endif()
  set(loader ${CMAKE_CURRENT_BINARY_DIR}/${target}-lockstep-include.cmake)
  file(WRITE ${loader} "if(EXISTS [[${list}]])\n  include([[${list}]])\nelse()\n"
                       "  add_test([[${arg_PREFIX}${target}_NOT_BUILT]] [[${target}_NOT_BUILT]])\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${loader})
endfunction()

# --- what both have in common
set_property(GLOBAL PROPERTY LOCKSTEP_CMAKE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# Not a variable of a directory: tests may be added anywhere in a project.
macro(lockstep_test_options)
  set(LOCKSTEP_TEST_OPTIONS STRATEGY PREEMPTIONS EXECUTIONS TIME SEED WORKERS)
endmacro()

function(lockstep_check_arguments function unknown required)
  if(unknown)
    message(FATAL_ERROR "${function}: unknown argument '${unknown}'")
  endif()
  foreach(name IN LISTS required)
    if(NOT arg_${name})
      message(FATAL_ERROR "${function}: ${name} is missing")
    endif()
  endforeach()
endfunction()

macro(lockstep_run_options result) # from the caller's arg_*
  set(${result})
  foreach(option IN LISTS LOCKSTEP_TEST_OPTIONS)
    if(DEFINED arg_${option})
      string(TOLOWER ${option} name)
      list(APPEND ${result} --${name} ${arg_${option}})
    endif()
  endforeach()
  if(arg_REQUIRE_COMPLETE)
    list(APPEND ${result} --require-complete)
  endif()
  list(APPEND ${result} ${arg_OPTIONS})
endmacro()
