// The table of code that is exempt from claims.
#include "target/code_exemptions.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace lockstep {
namespace {

enum class By : uint8_t {
  Module,     // beginning of a shared object's file name
  Function,   // linkage name
  Prefix,     // beginning of a linkage name
  Namespace,  // outermost namespace, as mangled
  Source,     // part of a source file's path
};

struct Row {
  By by;
  std::string_view text;
  Exemption exemption;
  const char* reason;
};

constexpr const char* kLibc =
    "C library: calls that matter are intercepted, the rest is specified to be thread-safe or is the caller's access";
constexpr const char* kStdcxx = "C++ library: what it does with the program's memory is reported by the runtime";
constexpr const char* kCompiler = "compiler runtime: works on registers, or on its own state";
constexpr const char* kStart = "start and end of the process: no thread runs";
constexpr const char* kOwn = "Lockstep itself";
constexpr const char* kTests = "test framework: not the code under test";

constexpr Row kTable[] = {
    {By::Module, "libc.so", Exemption::Always, kLibc},
    {By::Module, "libc-2", Exemption::Always, kLibc},
    {By::Module, "libm.so", Exemption::Always, kLibc},
    {By::Module, "libm-2", Exemption::Always, kLibc},
    {By::Module, "libmvec.so", Exemption::Always, kLibc},
    {By::Module, "libpthread", Exemption::Always, kLibc},
    {By::Module, "libdl.so", Exemption::Always, kLibc},
    {By::Module, "libdl-2", Exemption::Always, kLibc},
    {By::Module, "librt.so", Exemption::Always, kLibc},
    {By::Module, "librt-2", Exemption::Always, kLibc},
    {By::Module, "libresolv", Exemption::Always, kLibc},
    {By::Module, "libnss_", Exemption::Always, kLibc},
    {By::Module, "libanl.so", Exemption::Always, kLibc},
    {By::Module, "libutil.so", Exemption::Always, kLibc},
    {By::Module, "ld-linux", Exemption::Always, kLibc},
    {By::Module, "ld-2", Exemption::Always, kLibc},
    {By::Module, "linux-vdso", Exemption::Always, kLibc},
    {By::Function, "atexit", Exemption::Always, kLibc},  // in libc_nonshared.a
    {By::Function, "at_quick_exit", Exemption::Always, kLibc},
    {By::Function, "pthread_atfork", Exemption::Always, kLibc},
    {By::Module, "libstdc++.so", Exemption::Always, kStdcxx},
    {By::Module, "libc++.so", Exemption::Always, kStdcxx},
    {By::Module, "libc++abi.so", Exemption::Always, kStdcxx},
    {By::Module, "libgcc_s", Exemption::Always, kCompiler},
    {By::Module, "libunwind.so", Exemption::Always, kCompiler},
    {By::Module, "libatomic.so", Exemption::Always, kCompiler},
    {By::Module, "libgomp.so", Exemption::Always, kCompiler},
    {By::Module, "libomp.so", Exemption::Always, kCompiler},
    {By::Module, "libquadmath.so", Exemption::Always, kCompiler},
    {By::Module, "libasan.so", Exemption::Always, kCompiler},
    {By::Module, "libubsan.so", Exemption::Always, kCompiler},
    {By::Module, "liblsan.so", Exemption::Always, kCompiler},
    {By::Module, "libclang_rt.", Exemption::Always, kCompiler},
    {By::Prefix, "__asan_", Exemption::Always, kCompiler},
    {By::Prefix, "__ubsan_", Exemption::Always, kCompiler},
    {By::Prefix, "__sanitizer_", Exemption::Always, kCompiler},
    {By::Prefix, "__interceptor_", Exemption::Always, kCompiler},
    {By::Prefix, "__gcov_", Exemption::Always, kCompiler},
    {By::Prefix, "__llvm_profile_", Exemption::Always, kCompiler},
    {By::Prefix, "_Unwind_", Exemption::Always, kCompiler},
    {By::Function, "__clang_call_terminate", Exemption::Always, kCompiler},
    {By::Prefix, "_ZTW", Exemption::Always, kCompiler},  // they return the address of a thread-local variable
    {By::Prefix, "_ZTH", Exemption::Always, kCompiler},
    {By::Function, "_start", Exemption::Always, kStart},
    {By::Function, "_init", Exemption::Always, kStart},
    {By::Function, "_fini", Exemption::Always, kStart},
    {By::Function, "_dl_relocate_static_pie", Exemption::Always, kStart},
    {By::Function, "deregister_tm_clones", Exemption::Always, kStart},
    {By::Function, "register_tm_clones", Exemption::Always, kStart},
    {By::Function, "__do_global_dtors_aux", Exemption::Always, kStart},
    {By::Function, "frame_dummy", Exemption::Always, kStart},
    {By::Prefix, "__libc_csu_", Exemption::Always, kStart},
    {By::Module, "liblockstep", Exemption::Always, kOwn},
    {By::Module, "libgtest", Exemption::Framework, kTests},
    {By::Module, "libgmock", Exemption::Framework, kTests},
    {By::Module, "libCatch2", Exemption::Framework, kTests},
    {By::Module, "libboost_unit_test_framework", Exemption::Framework, kTests},
    {By::Module, "libboost_prg_exec_monitor", Exemption::Framework, kTests},
    {By::Module, "libboost_test_exec_monitor", Exemption::Framework, kTests},
    {By::Namespace, "7testing", Exemption::Framework, kTests},
    {By::Namespace, "5Catch", Exemption::Framework, kTests},
    {By::Namespace, "7doctest", Exemption::Framework, kTests},
    {By::Namespace, "5boost9unit_test", Exemption::Framework, kTests},
    {By::Namespace, "5boost10test_tools", Exemption::Framework, kTests},
    {By::Namespace, "5boost5debug", Exemption::Framework, kTests},
    {By::Namespace, "5boost17execution_monitor", Exemption::Framework, kTests},
    {By::Function, "DeleteThreadLocalValue", Exemption::Framework, kTests},  // GoogleTest, outside its namespace
    {By::Function, "ThreadFuncWithCLinkage", Exemption::Framework, kTests},
    {By::Source, "gtest-all.cc", Exemption::Framework, kTests},
    {By::Source, "gtest_main.cc", Exemption::Framework, kTests},
    {By::Source, "gmock-all.cc", Exemption::Framework, kTests},
    {By::Source, "gmock_main.cc", Exemption::Framework, kTests},
    {By::Source, "googletest/src/", Exemption::Framework, kTests},
    {By::Source, "googlemock/src/", Exemption::Framework, kTests},
    {By::Source, "catch2/internal/", Exemption::Framework, kTests},
    {By::Source, "catch2/catch_", Exemption::Framework, kTests},
    {By::Source, "catch_amalgamated.cpp", Exemption::Framework, kTests},
    {By::Source, "libs/test/src/", Exemption::Framework, kTests},
};

// The outermost namespace or class: the name after "_ZN", "_ZNK" or, for names local to a function, "_ZZN".
std::string_view nested_name(std::string_view linkage_name) {
  if (!linkage_name.starts_with("_Z")) return {};
  linkage_name.remove_prefix(std::min(linkage_name.find_first_not_of('Z', 1), linkage_name.size()));
  if (!linkage_name.starts_with("N")) return {};
  linkage_name.remove_prefix(linkage_name.starts_with("NK") ? 2 : 1);
  return linkage_name;
}

bool applies(const Row& row, By by, std::string_view text) {
  if (row.by != by) return false;
  switch (by) {
    case By::Module:
    case By::Prefix: return text.starts_with(row.text);
    case By::Function: return text == row.text;
    case By::Source: return text.find(row.text) != std::string_view::npos;
    case By::Namespace:  // also templates of the C++ library that are instantiated with its types
      return nested_name(text).starts_with(row.text) ||
             (is_standard_function(text) &&
              text.find(std::string("N") + std::string(row.text)) != std::string_view::npos);
  }
  return false;
}

Exemption look_up(std::initializer_list<By> ways, std::string_view text) {
  for (const Row& row : kTable)
    for (const By by : ways)
      if (applies(row, by, text)) return row.exemption;
  return Exemption::None;
}

}  // namespace

Exemption exempts_module(std::string_view file_name) { return look_up({By::Module}, file_name); }
Exemption exempts_function(std::string_view linkage_name) {
  return look_up({By::Function, By::Prefix, By::Namespace}, linkage_name);
}
Exemption exempts_source(std::string_view path) { return look_up({By::Source}, path); }

bool is_runtime_function(std::string_view linkage_name) {
  for (std::string_view beginning : {"__cxa_", "__gxx_", "_Unwind_", "__dynamic_cast"})
    if (linkage_name.starts_with(beginning)) return true;
  return nested_name(linkage_name).starts_with("10__cxxabiv1");
}

bool is_standard_function(std::string_view linkage_name) {
  const std::string_view nested = nested_name(linkage_name);
  for (std::string_view scope : {"St", "Sa", "Ss", "So", "Si", "Sd", "9__gnu_cxx", "10__cxxabiv1"})
    if (nested.starts_with(scope)) return true;
  return linkage_name.starts_with("_ZSt") || linkage_name.starts_with("__cxa_");
}

}  // namespace lockstep
