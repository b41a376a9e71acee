#pragma once

namespace lockstep::rt {

void forget_named_semaphores();  // those of the last execution

}  // namespace lockstep::rt
