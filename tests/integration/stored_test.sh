#!/bin/bash
# A failure found once is tried first by the next run if that is asked for or the program was edited a little of the program; a mended program passes.
# usage: stored_test.sh LOCKSTEP LOCKSTEP_CXX
set -euo pipefail
lockstep=$1 cxx=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Arguments: operations before and between the load and the store of an update; whether the update is one operation.
program() {
  cat >counter.cpp <<END
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> counter = 0, statistics = 0;
void add() {
  $1
  if ($3) {
    ++counter;
  } else {
    const int seen = counter;
    $2
    counter = seen + 1;
  }
}
int main() {
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(counter == 2);
}
END
  "$cxx" -g -O1 counter.cpp -o counter
}
value() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "$2" | head -1; }
run() { # expected exit code, options...
  local expected=$1 code=0
  shift
  "$lockstep" run --json result.json "$@" ./counter >output 2>&1 || code=$?
  [[ $code == "$expected" ]] || { echo "exit code $code instead of $expected"; cat output; exit 1; }
}
check() { # what, actual, expected
  [[ $2 == "$3" ]] || { echo "$1: $2 instead of $3"; cat output result.json; exit 1; }
}

program '' '' 0
run 1
found=$(value execution result.json) fingerprint=$(value fingerprint result.json)
[[ $(value executions result.json) -gt 0 ]] || exit 1

run 1 # found so soon that the same build is searched as it was the first time
check 'executions of a second run' "$(value executions result.json)" "$found"
check 'execution of a second run' "$(value execution result.json)" "$found"

run 1 --stored replay
check executions "$(value executions result.json)" 0
check stored "$(value stored result.json)" true
check execution "$(value execution result.json)" "$found"
check fingerprint "$(value fingerprint result.json)" "$fingerprint"
grep -q 'reproduced by a schedule of an earlier run' output || { cat output; exit 1; }

run 1 --stored ignore
check 'execution, with stored schedules ignored' "$(value executions result.json)" "$found"

program 'statistics = 1; (void)statistics.load();' '++statistics; ++statistics;' 0
run 1
check 'executions after an edit' "$(value executions result.json)" 0
check 'stored after an edit' "$(value stored result.json)" true

run 1 --stored replay # the schedule was written anew for the program as it is now
check 'executions after the edit was learned' "$(value executions result.json)" 0

# The schedule of the program before the edit is shrunk for the program as it is now, and is one of its own then.
program '' '' 0
"$lockstep" run --quiet --out before ./counter >output 2>&1 && exit 1
program 'statistics = 1; (void)statistics.load();' '++statistics; ++statistics;' 0
code=0
"$lockstep" shrink before/bug-1.lockstep -o shrunk.lockstep >output 2>&1 || code=$?
check 'exit code of shrink after an edit' "$code" 0
grep -q 'has changed since the schedule was recorded' output || { cat output; exit 1; }
"$lockstep" replay shrunk.lockstep >output 2>&1 && { cat output; exit 1; }
grep -q 'has changed' output && { echo 'the shrunk schedule is not one of this build'; cat output; exit 1; }

program '' '' 1
code=0
"$lockstep" shrink before/bug-1.lockstep -o mended.lockstep >output 2>&1 || code=$?
check 'exit code of shrink after the program was mended' "$code" 0
[[ ! -e mended.lockstep ]] || { echo 'a schedule was written for a failure that is gone'; exit 1; }
run 0
check verdict "$(value verdict result.json)" '"pass"'
[[ $(value executions result.json) -gt 0 ]] || { echo 'a mended program was not explored'; exit 1; }
