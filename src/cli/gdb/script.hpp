// What gdb is taught by `lockstep debug`: lockstep_gdb.py, as text.
#pragma once

namespace lockstep {
extern const char* const kGdbScript;
}
