"""The recorded failure, as src/report/debugger_data.hpp describes it."""
import json

from __main__ import LOCKSTEP_DATA

with open(LOCKSTEP_DATA) as file:
    DATA = json.load(file)
ROWS = DATA["rows"]
STEPS = [row for row in ROWS if row["step"]]
NAMES = {int(thread): name for thread, name in DATA["threads"].items()}
THE_END = ROWS[-1]["number"] + 1 if ROWS else 1  # the number of the failure


def name_of(thread):
    return NAMES.get(thread, "main" if thread == 0 else "thread %s" % thread)
