// Handles Ctrl-C: the first ends the search with a report, the second ends the process at once.
#pragma once

namespace lockstep {

void catch_interrupts();
bool interrupted();

}  // namespace lockstep
