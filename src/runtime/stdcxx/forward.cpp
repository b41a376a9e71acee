// Replaces functions of libstdc++.so that access the program's memory. Their code is not instrumented, so instrumented
// programs get instrumented copies (strings.cpp, containers.cpp). All other callers get libstdc++'s functions.
#include <dlfcn.h>

#include "runtime/base/runtime.hpp"
#include "runtime/process/libraries.hpp"

using namespace lockstep;
using namespace lockstep::rt;

namespace {

// Six registers hold all arguments, including the address of a result in memory; two registers hold any other result.
#define LOCKSTEP_ARGUMENTS a, b, c, d, e, f
#define LOCKSTEP_PARAMETERS uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f
using Result = unsigned __int128;
using Function = Result(LOCKSTEP_PARAMETERS);

inline bool in_the_programs_name(const void* caller) {
  return controlled() && runtime.instrumented && !from_library(caller);
}

}  // namespace

// The names are set in assembler, because the compiler knows some of these functions from headers.
#define LOCKSTEP_FORWARD(name, copy)                                                                      \
  extern "C" __attribute__((visibility("hidden"))) Result copy(LOCKSTEP_PARAMETERS);                      \
  extern "C" __attribute__((visibility("hidden"), used)) Result lockstep_to_##name(LOCKSTEP_PARAMETERS) { \
    static Function* real;                                                                                \
    const void* caller = __builtin_return_address(0);                                                     \
    if (LIKELY(in_the_programs_name(caller))) {                                                           \
      self().library_call = caller;                                                                       \
      return copy(LOCKSTEP_ARGUMENTS);                                                                    \
    }                                                                                                     \
    if (UNLIKELY(!real)) real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, #name));                     \
    return real(LOCKSTEP_ARGUMENTS);                                                                      \
  }                                                                                                       \
  asm(".globl " #name "\n.type " #name ", @function\n.set " #name ", lockstep_to_" #name);
#define LOCKSTEP_NAMED(name, copy) LOCKSTEP_FORWARD(name, copy)
#define LOCKSTEP_MEMBER(qualifier, member)                                                  \
  LOCKSTEP_NAMED(_Z##qualifier##St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE##member, \
                 _Z##qualifier##St7__cxx1112basic_stringIc14LockstepTraitsIcESaIcEE##member)
#include "runtime/stdcxx/strings.def"

LOCKSTEP_FORWARD(_ZNSt8__detail15_List_node_base7_M_hookEPS0_, lockstep_list_hook)
LOCKSTEP_FORWARD(_ZNSt8__detail15_List_node_base9_M_unhookEv, lockstep_list_unhook)
LOCKSTEP_FORWARD(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_, lockstep_list_transfer)
LOCKSTEP_FORWARD(_ZNSt8__detail15_List_node_base10_M_reverseEv, lockstep_list_reverse)
LOCKSTEP_FORWARD(_ZNSt8__detail15_List_node_base4swapERS0_S1_, lockstep_list_swap)
LOCKSTEP_FORWARD(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, lockstep_tree_increment)
LOCKSTEP_FORWARD(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, lockstep_tree_increment)
LOCKSTEP_FORWARD(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, lockstep_tree_decrement)
LOCKSTEP_FORWARD(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, lockstep_tree_decrement)
LOCKSTEP_FORWARD(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, lockstep_tree_insert)
LOCKSTEP_FORWARD(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_, lockstep_tree_erase)
