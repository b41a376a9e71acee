// The progress line, rewritten in place while an exploration runs.
#pragma once
#include <cstdio>
#include <string>

#include "report/terminal.hpp"
#include "search/exploration/explorer.hpp"

namespace lockstep {

// "1 preemption   118 of about 340 · 412k/s · 1 bug · 12 s left"; always shorter than the width of the terminal.
std::string progress_text(const Progress& progress, const Terminal& terminal);

class ProgressLine {
 public:
  ProgressLine(FILE* out, Terminal terminal, bool enabled) : out_(out), terminal_(terminal), enabled_(enabled) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const Progress& progress);
  void clear();  // call before printing anything else

 private:
  FILE* out_;
  Terminal terminal_;
  bool enabled_, shown_ = false;
};

}  // namespace lockstep
