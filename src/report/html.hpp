// Pages that need nothing but a browser: one file each, built from src/report/page.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lockstep {

// A page with `data`, whose key `page` says which one it is. Nothing in the data can leave its place in the page.
std::string html_page(const nlohmann::ordered_json& data);

std::string html_story(nlohmann::ordered_json story);  // of story_json()

}  // namespace lockstep
