// Ctrl-C: the first asks the search to stop and report, the second ends at once.
#pragma once

namespace lockstep {

void catch_interrupts();
bool interrupted();

}  // namespace lockstep
