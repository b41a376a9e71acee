# What `cmake --install` puts into a prefix. Everything finds its neighbours relative to itself, so the prefix can be
# moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

# Targets of the build and their names for users: lockstep::cli, lockstep::rt, lockstep::explore.
set(exported OFF)
foreach(pair lockstep:cli lockstep-rt:rt lockstep_explore:explore)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 target)
  list(GET pair 1 name)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${target} EXPORT lockstepTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    set(exported ON)
  endif()
endforeach()
if(TARGET lockstep_explore)
  set_target_properties(lockstep_explore PROPERTIES OUTPUT_NAME lockstep INSTALL_RPATH "$ORIGIN")
endif()

install(PROGRAMS ${LOCKSTEP_BIN_DIR}/lockstep-cxx ${LOCKSTEP_BIN_DIR}/lockstep-cc ${PROJECT_SOURCE_DIR}/tools/lockstep-gdb
        DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/lockstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/cli/gdb/lockstep_gdb DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep
        FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/share/lockstep.bash RENAME lockstep
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/share/_lockstep DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/share/lockstep.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

if(exported)
  install(EXPORT lockstepTargets NAMESPACE lockstep:: DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/lockstepConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/lockstepConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/lockstepConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/lockstepConfig.cmake ${PROJECT_BINARY_DIR}/cmake/lockstepConfigVersion.cmake
              cmake/instrument.cmake cmake/lockstep_add_test.cmake cmake/lockstep_write_tests.cmake DESTINATION ${package_dir})

# From the .pc file's folder back to the prefix: pkg-config knows where the file is, not where it was meant to be.
file(RELATIVE_PATH LOCKSTEP_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
list(JOIN LOCKSTEP_GNU_OPTIONS " " LOCKSTEP_PC_OPTIONS)
configure_file(cmake/lockstep.pc.in ${PROJECT_BINARY_DIR}/cmake/lockstep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/lockstep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
