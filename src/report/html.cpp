// Inserts data into the page that is compiled in.
#include "report/html.hpp"

#include <nlohmann/json.hpp>

#include "report/page/page.hpp"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string html_page(const Json& data) {
  // In JSON these characters occur only in strings. Without them the data cannot end the script element or begin
  // another.
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  constexpr std::string_view kHole = "LOCKSTEP_DATA";
  std::string page = kPage;
  return page.replace(page.find(kHole), kHole.size(), text);
}

std::string html_story(Json story) {
  story["page"] = "story";
  return html_page(story);
}

}  // namespace lockstep
