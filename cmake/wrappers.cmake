# bin/lockstep-cxx and bin/lockstep-cc from one template. The build tree is laid out like an install prefix (bin, lib,
# include), so that they find the library and the headers the same way in both.
function(lockstep_add_wrapper WRAPPER_NAME WRAPPER_VARIABLE WRAPPER_COMPILER)
  list(JOIN LOCKSTEP_GNU_OPTIONS " " LOCKSTEP_GNU_OPTIONS_SHELL)
  list(JOIN LOCKSTEP_CLANG_OPTIONS " " LOCKSTEP_CLANG_OPTIONS_SHELL)
  configure_file(${PROJECT_SOURCE_DIR}/tools/lockstep-compiler.in ${LOCKSTEP_BIN_DIR}/${WRAPPER_NAME}
                 @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                        WORLD_EXECUTE)
endfunction()

lockstep_add_wrapper(lockstep-cxx LOCKSTEP_CXX g++)
lockstep_add_wrapper(lockstep-cc LOCKSTEP_CC gcc)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_INCLUDEDIR} SYMBOLIC)
