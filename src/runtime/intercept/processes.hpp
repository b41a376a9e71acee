#pragma once

namespace lockstep::rt {

void end_children();  // those the execution has not waited for
bool has_children();

}  // namespace lockstep::rt
