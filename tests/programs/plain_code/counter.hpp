// A class whose member functions are compiled without instrumentation, and an inline one that both sides have a copy
// of.
#pragma once

struct Counter {
  void add();
  void add_by_helper();  // calls a static function of the same file
  int get() const;
  [[gnu::noinline]] void add_inline() { value = value + 1; }
  int value = 0;
};

int sum(int a, int b);                         // touches no memory
void with_counter(void (*body)(Counter&));     // calls back
extern "C" void plugin_add(Counter* counter);  // also in the plug-in
