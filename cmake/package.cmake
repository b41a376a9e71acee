# `./dev package`: a Debian package and a tarball that can be unpacked anywhere.
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR Lockstep)
set(CPACK_PACKAGE_CONTACT "the authors of Lockstep")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Finds the interleaving that breaks a C++ program, and replays it")
set(CPACK_PACKAGE_DESCRIPTION
    "Takes control of the threads of an ordinary C++ program, runs it along one interleaving after another, finds \
deadlocks, races, livelocks, crashes and failed assertions, and replays them exactly.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES OFF) # the runtime is debugged inside other programs
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_FILE_NAME lockstep-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ | clang")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS gdb)
include(CPack)
