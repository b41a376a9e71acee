/* gcc includes this file first when it compiles for Lockstep. Functions make no tail calls, so that the stacks in
   reports show them. The functions that gcc makes of coroutines are not subject to the pragma: they resume each other
   by tail calls, as they must. */
#ifndef LOCKSTEP_INSTRUMENTED_H
#define LOCKSTEP_INSTRUMENTED_H
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__) && !defined(__ASSEMBLER__)
#pragma GCC optimize("no-optimize-sibling-calls")
#endif
#endif
