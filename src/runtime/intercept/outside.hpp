#pragma once

namespace lockstep::rt {

bool outside_helps();  // see SchedulerClient

}  // namespace lockstep::rt
