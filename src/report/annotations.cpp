// Formats annotations of GitHub Actions.
#include "report/annotations.hpp"

#include <fmt/format.h>
#include <filesystem>

#include "report/story_cells.hpp"
#include "report/summary.hpp"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string escaped(const std::string& text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string github_annotation(const Finding& bug, const std::string& root) {
  std::string place;
  if (bug.location.line > 0) {
    const fs::path path = fs::path(bug.location.file).lexically_normal();
    const fs::path inside = path.is_absolute() && !root.empty() ? path.lexically_relative(root) : fs::path();
    const bool below = !inside.empty() && *inside.begin() != "..";
    place = fmt::format("file={},line={},", escaped((below ? inside : path).string(), true), bug.location.line);
  }
  std::string text = bug.test.empty() ? bug.message : bug.test + ": " + bug.message;
  if (const std::string values = operand_text(bug); !values.empty()) text += "   (" + values + ")";
  if (!bug.cause.text.empty()) text += "\n" + bug.cause.text;
  if (!bug.schedule.empty()) text += "\nlockstep replay " + shell_word(bug.schedule);
  return fmt::format("::{} {}title={}::{}\n", is_warning(bug.kind) ? "warning" : "error", place,
                     escaped(name_of(bug.kind), true), escaped(text, false));
}

}  // namespace lockstep
