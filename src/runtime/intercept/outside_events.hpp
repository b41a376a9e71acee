// Waits for events from outside when no thread can run.
#pragma once

namespace lockstep::rt {

bool outside_event_came();  // see SchedulerClient

}  // namespace lockstep::rt
