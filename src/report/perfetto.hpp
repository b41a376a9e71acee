// A failure as a trace in Chrome's JSON format, which ui.perfetto.dev and other viewers open: a track for each thread
// and each lock, a step every 10 µs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lockstep {

std::string perfetto_trace(const nlohmann::ordered_json& story);  // from the result of story_json()

}  // namespace lockstep
