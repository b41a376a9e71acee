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
  cmake_parse_arguments(PARSE_ARGV 0 arg "REQUIRE_COMPLETE" "NAME;COMMAND;STRATEGY;PREEMPTIONS;EXECUTIONS;TIME;SEED;WORKERS"
                        "ARGS;OPTIONS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lockstep_add_test: unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(required NAME COMMAND)
    if(NOT arg_${required})
      message(FATAL_ERROR "lockstep_add_test: ${required} is missing")
    endif()
  endforeach()

  set(options --out ${CMAKE_CURRENT_BINARY_DIR}/lockstep-out/${arg_NAME})
  foreach(option STRATEGY PREEMPTIONS EXECUTIONS TIME SEED WORKERS)
    if(DEFINED arg_${option})
      string(TOLOWER ${option} name)
      list(APPEND options --${name} ${arg_${option}})
    endif()
  endforeach()
  if(arg_REQUIRE_COMPLETE)
    list(APPEND options --require-complete)
  endif()

  set(program ${arg_COMMAND})
  if(TARGET ${arg_COMMAND})
    set(program $<TARGET_FILE:${arg_COMMAND}>)
  endif()
  add_test(NAME ${arg_NAME} COMMAND lockstep::cli run ${options} ${arg_OPTIONS} -- ${program} ${arg_ARGS})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}")
endfunction()
