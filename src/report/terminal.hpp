// The abilities of a terminal: width, colour and characters.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

enum class When { Auto, Always, Never };

// Line art and punctuation; ASCII if the locale is not UTF-8.
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

// Escapes control characters, because names and messages come from the program and must not control the terminal. With
// `colour`, the sequences that Terminal::paint writes stay.
std::string printable(std::string_view text, bool colour);

// The abilities for output to `fd`. Width: COLUMNS, then the window size. Locale: LC_ALL, LC_CTYPE, LANG. Colour:
// NO_COLOR, then CLICOLOR_FORCE, then CLICOLOR, then whether `fd` is a terminal.
Terminal detect_terminal(int fd, When colour);

std::optional<unsigned> window_width(int fd);  // the current width of the terminal at `fd`; none: not a terminal

// The number of columns of a text: its code points, which is correct for everything that Lockstep prints.
size_t columns(std::string_view text);

// The text in at most `width` columns; the end of a longer text is replaced by an ellipsis.
std::string fit(std::string_view text, size_t width, const Terminal& terminal);

}  // namespace lockstep
