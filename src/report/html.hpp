// HTML pages that need nothing but a browser: one file each, built from src/report/page.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lockstep {

// A page with `data`, whose key `page` names the kind of page. The data are escaped and cannot become part of the
// markup.
std::string html_page(const nlohmann::ordered_json& data);

std::string html_story(nlohmann::ordered_json story);  // for the result of story_json()

}  // namespace lockstep
