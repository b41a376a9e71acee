# An instrumented program with code that is not: plain_code-WAY-COMPILER-LEVEL. The ways: an object that is linked first, so
# that its copies of inline functions are taken; a static library without debug information; a shared library; an object in a
# program that is stripped. And a plug-in.
set(plain_code ${CMAKE_CURRENT_SOURCE_DIR}/plain_code)
file(GLOB plain_code_sources CONFIGURE_DEPENDS ${plain_code}/*.?pp)

function(lockstep_plain_code compiler name level)
  set(place ${CMAKE_CURRENT_BINARY_DIR}/plain_code-${name}-${level})
  set(build ${LOCKSTEP_BIN_DIR}/lockstep-cxx --lockstep-compiler=${compiler} -std=c++20 -g -${level} -Wall -Wextra)
  set(plain ${compiler} -std=c++20 -${level} -Wall -Wextra -fPIC)
  set(program ${LOCKSTEP_PROGRAMS_DIR}/plain_code)
  set(suffix ${name}-${level})
  set(outputs)
  foreach(way object static shared stripped)
    list(APPEND outputs ${program}-${way}-${suffix})
  endforeach()
  list(APPEND outputs ${LOCKSTEP_PROGRAMS_DIR}/libplain_code-${suffix}.so)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${plain} -g -c ${plain_code}/counter.cpp -o ${place}.o
    COMMAND ${plain} -c ${plain_code}/counter.cpp -o ${place}-nodebug.o
    COMMAND ${build} -c ${plain_code}/program.cpp -o ${place}-program.o
    COMMAND ${compiler} -shared ${place}.o -o ${LOCKSTEP_PROGRAMS_DIR}/libplain_code-${suffix}.so
    COMMAND ${CMAKE_COMMAND} -E rm -f ${place}.a
    COMMAND ${CMAKE_AR} rcs ${place}.a ${place}-nodebug.o
    COMMAND ${build} ${place}.o ${place}-program.o -o ${program}-object-${suffix}
    COMMAND ${build} ${place}-program.o ${place}.a -o ${program}-static-${suffix}
    COMMAND ${build} ${place}-program.o ${LOCKSTEP_PROGRAMS_DIR}/libplain_code-${suffix}.so -Wl,-rpath,${LOCKSTEP_PROGRAMS_DIR} -o ${program}-shared-${suffix}
    COMMAND ${CMAKE_STRIP} -o ${program}-stripped-${suffix} ${program}-object-${suffix}
    DEPENDS ${plain_code_sources} ${LOCKSTEP_BIN_DIR}/lockstep-cxx
    VERBATIM)
  set(program_files ${program_files} ${outputs} PARENT_SCOPE)
endfunction()

foreach(level O0 O2)
  lockstep_plain_code(${LOCKSTEP_TEST_GXX} gcc ${level})
  if(LOCKSTEP_TEST_CLANGXX)
    lockstep_plain_code(${LOCKSTEP_TEST_CLANGXX} clang ${level})
  endif()
endforeach()
lockstep_program(library_user-gcc-O1 plain_code/library_user.cpp ${LOCKSTEP_BIN_DIR}/lockstep-cxx -O1)
lockstep_program(library_user_static-gcc-O1 plain_code/library_user.cpp ${LOCKSTEP_BIN_DIR}/lockstep-cxx -O1 -static-libstdc++ -static-libgcc)
# GoogleTest's libraries have to follow the source.
add_custom_command(
  OUTPUT ${LOCKSTEP_PROGRAMS_DIR}/framework_user-gcc-O1
  COMMAND ${LOCKSTEP_BIN_DIR}/lockstep-cxx -std=c++20 -g -O1 -Wall -Wextra ${plain_code}/framework_user.cpp
          -o ${LOCKSTEP_PROGRAMS_DIR}/framework_user-gcc-O1 -lgtest -lgtest_main
  DEPENDS ${plain_code_sources} ${LOCKSTEP_BIN_DIR}/lockstep-cxx
  VERBATIM)
list(APPEND program_files ${LOCKSTEP_PROGRAMS_DIR}/framework_user-gcc-O1)
