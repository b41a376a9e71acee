# A script: asks PROGRAM for its test cases and writes one CTest test for each to LIST. See lockstep_discover_tests().
execute_process(COMMAND ${LOCKSTEP} list tests ${PROGRAM} ${ARGS} OUTPUT_VARIABLE names ERROR_VARIABLE problem
                RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "cannot list the tests of ${PROGRAM}: ${problem}")
endif()
string(REPLACE ";" "\\;" names "${names}")
string(REGEX REPLACE "\n$" "" names "${names}")
string(REPLACE "\n" ";" names "${names}")
# Not list(TRANSFORM): brackets that are open join the elements of a list.
foreach(words OPTIONS ARGS)
  set(quoted_${words} "")
  foreach(word IN LISTS ${words})
    string(APPEND quoted_${words} " [==[${word}]==]")
  endforeach()
endforeach()
set(text "")
foreach(name IN LISTS names)
  string(MAKE_C_IDENTIFIER "${name}" folder)
  string(APPEND text "add_test([==[${PREFIX}${name}]==] [==[${LOCKSTEP}]==] run --out [==[${OUT}/${folder}]==] "
                     "--test [==[${name}]==] ${quoted_OPTIONS} -- [==[${PROGRAM}]==] ${quoted_ARGS})\n"
                     "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES LABELS [==[${LABELS}]==])\n")
endforeach()
file(WRITE ${LIST} "${text}")
