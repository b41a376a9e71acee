#!/bin/bash
# Kills an exploration at several moments and resumes it: in the end every trace was seen and the claim is the same.
# usage: resume_test.sh LOCKSTEP STRATEGY TRACES PROGRAM ARGS...
set -euo pipefail
lockstep=$1 strategy=$2 traces=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$lockstep" run --out out --strategy "$strategy" --preemptions none --workers 1 --json result.json "$@" >/dev/null &
sleep 0.3
kill -INT $!
code=0
wait $! || code=$?
[[ $code == 130 ]] || { echo "interrupted: exit code $code"; exit 1; }
[[ -s out/exploration.state ]] || { echo 'nothing was saved'; exit 1; }

# Damaged: refused, and the exploration is still there afterwards.
cp out/exploration.state whole
head -c 1000 whole >out/exploration.state
code=0
"$lockstep" resume out 2>message || code=$?
[[ $code == 2 && $(wc -l <message) == 1 ]] || { echo "damaged: exit code $code"; cat message; exit 1; }
cp whole out/exploration.state

for signal in INT KILL TERM; do
  [[ -e out/exploration.state ]] || break # a machine fast enough to finish in between
  "$lockstep" resume out >last &
  sleep 0.15
  kill -$signal $! 2>/dev/null || true
  wait $! 2>/dev/null || true
done
if [[ -e out/exploration.state ]]; then "$lockstep" resume out >last; fi
grep -q "PASS" last || { cat last; exit 1; }
python3 - "$traces" <<'END'
import json, sys
result = json.load(open("result.json"))
assert result["complete"] and result["traces"] == int(sys.argv[1]) <= result["executions"], result
assert result["guarantee"].startswith("every execution"), result["guarantee"]
END
[[ ! -e out/exploration.state ]] || { echo 'a finished exploration is still offered'; exit 1; }
