"""A signal may come in the middle of a fiber switch, and its handler looks at the stack: the unwind information of the
switch follows every change of the stack pointer, and says where the registers are."""
import re
import subprocess
import sys

LIBRARY = sys.argv[1]
SAVED = ["rbp", "rbx", "r12", "r13", "r14", "r15"]
# Pushes of the six registers and the control words, then the same in reverse.
OFFSETS = [8, 16, 24, 32, 40, 48, 56, 64, 56, 48, 40, 32, 24, 16, 8]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


symbols = {line.split()[2]: int(line.split()[0], 16) for line in output("nm", LIBRARY).splitlines()
           if len(line.split()) == 3}
tables = output("readelf", "--debug-dump=frames-interp", LIBRARY).split("\n\n")
failures = 0
for function in ("lockstep_switch", "lockstep_switch_prctl"):
    begin = "pc=%016x.." % symbols[function]
    rows = [line for table in tables if begin in table for line in table.splitlines()
            if re.match(r"[0-9a-f]{16} rsp\+", line)]
    offsets = [int(re.search(r"rsp\+(\d+)", row).group(1)) for row in rows]
    known = any(row.count("c-") >= len(SAVED) + 1 for row in rows)  # all registers and the return address
    if offsets != OFFSETS or not known:
        failures += 1
        print(f"FAILED {function}: CFA offsets {offsets}, registers known: {known}", flush=True)
sys.exit(failures > 0)
