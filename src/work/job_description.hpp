// An exploration as it is put into a queue.
#pragma once
#include <string>
#include <vector>

#include "target/target.hpp"
#include "work/messages.hpp"

namespace lockstep {

// Makes what the program finds on its stack the same on every machine: environment, lengths of paths.
void prepare_for_other_machines(TargetOptions& options);

// `options` as prepared, `here`: the program, started with them.
Result<Job> describe_job(const TargetOptions& options, Target& here);

std::string random_id();
std::string machine_name();

}  // namespace lockstep
