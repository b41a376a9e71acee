// Detects terminals, and fits and escapes text.
#include "report/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cstdlib>
#include <string_view>

namespace lockstep {
namespace {

std::string_view value_of(const char* variable) {  // empty: not set
  const char* value = std::getenv(variable);
  return value ? value : "";
}

unsigned width_of(int fd) {
  if (const char* text = std::getenv("COLUMNS")) {
    const int width = std::atoi(text);
    if (width > 0 && width < 10'000) return static_cast<unsigned>(width);
  }
  return window_width(fd).value_or(100);
}

bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = value_of(variable);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos || value.find("utf-8") != value.npos ||
           value.find("UTF8") != value.npos;
  }
  return false;
}

bool wants_colour(int fd, When colour) {
  if (colour != When::Auto) return colour == When::Always;
  if (!value_of("NO_COLOR").empty()) return false;
  if (const std::string_view force = value_of("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  if (value_of("CLICOLOR") == "0") return false;
  return isatty(fd) && value_of("TERM") != "dumb";
}

}  // namespace

const Glyphs& glyphs(bool utf8) {
  static constexpr Glyphs kUnicode{"…", "─", "▶", "◀", "→", "←", "—", "·", "✗"};
  static constexpr Glyphs kAscii{"...", "-", ">", "<", "->", "<-", "-", "-", "X"};
  return utf8 ? kUnicode : kAscii;
}

std::string Terminal::paint(std::string_view code, std::string_view text) const {
  if (!colour || text.empty()) return std::string(text);
  return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

std::string printable(std::string_view text, bool colour) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1 = c == 0xc2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xe0) == 0x80;
    if (c == 0x1b && colour) {
      const size_t end = text.substr(i).starts_with("\033[") ? text.find_first_not_of("0123456789;", i + 2) : text.npos;
      if (end != text.npos && text[end] == 'm') {
        out += text.substr(i, end + 1 - i);
        i = end;
        continue;
      }
    }
    if ((c >= 0x20 && c != 0x7f && !c1) || c == '\n' || c == '\t')
      out += static_cast<char>(c);
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[c1 ? ++i : i]));
  }
  return out;
}

std::optional<unsigned> window_width(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? std::optional<unsigned>(size.ws_col) : std::nullopt;
}

Terminal detect_terminal(int fd, When colour) { return {width_of(fd), locale_is_utf8(), wants_colour(fd, colour)}; }

size_t columns(std::string_view text) {
  size_t count = 0;
  for (unsigned char c : text) count += (c & 0xc0) != 0x80;
  return count;
}

std::string fit(std::string_view text, size_t width, const Terminal& terminal) {
  if (columns(text) <= width) return std::string(text);
  const std::string_view mark = terminal.glyphs().ellipsis;
  if (width < columns(mark)) return std::string(mark.substr(0, terminal.utf8 ? 0 : width));
  const size_t keep = width - columns(mark);
  size_t bytes = 0, count = 0;
  while (bytes < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (starts && count++ == keep) break;
    ++bytes;
  }
  return std::string(text.substr(0, bytes)) + std::string(mark);
}

}  // namespace lockstep
