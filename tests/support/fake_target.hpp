// A Target that interprets tiny programs instead of starting real ones: for tests of the command line.
#pragma once
#include <memory>
#include <string>

#include "cli/services.hpp"

namespace lockstep::fake {

// Programs by the base name of the command: "abba" deadlocks, "lost" fails an assertion, "fine" passes,
// "fine-after-edit" is what abba became once it was mended.
Services fake_services();

}  // namespace lockstep::fake
