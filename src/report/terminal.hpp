// What the terminal can show.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

enum class When { Auto, Always, Never };

// Line art and punctuation; ASCII where the locale is not UTF-8.
struct Glyphs {
  std::string_view ellipsis, line, head_right, head_left, right, left, dash, dot, cross;
};
const Glyphs& glyphs(bool utf8);

struct Terminal {
  unsigned width = 100;
  bool utf8 = true;
  bool colour = false;

  const Glyphs& glyphs() const { return lockstep::glyphs(utf8); }
  // Wraps text into an SGR sequence ("1;31") when colour is on.
  std::string paint(std::string_view code, std::string_view text) const;
};

// Names and messages come from the program, and must not control the terminal: control characters are spelled out. With
// `colour` the sequences that Terminal::paint writes stay.
std::string printable(std::string_view text, bool colour);

// For output to `fd`: COLUMNS, then the window size; LC_ALL, LC_CTYPE, LANG; NO_COLOR over CLICOLOR_FORCE over
// CLICOLOR over whether it is a terminal.
Terminal detect_terminal(int fd, When colour);

std::optional<unsigned> window_width(int fd);  // of the terminal at `fd` now; none: it is no terminal

// Columns a text takes: code points, which is right for everything we print.
size_t columns(std::string_view text);

// At most `width` columns, the end replaced by an ellipsis if it is longer.
std::string fit(std::string_view text, size_t width, const Terminal& terminal);

}  // namespace lockstep
