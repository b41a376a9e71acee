#include "counter.hpp"

namespace {

[[gnu::noinline]] void helper(int& value) { value = value * 2 - value + 1; }

}  // namespace

void Counter::add() { value = value + 1; }
void Counter::add_by_helper() { helper(value); }
int Counter::get() const { return value; }

int sum(int a, int b) { return a + b; }

void (Counter::*operation)() = &Counter::add_inline;

void with_counter(void (*body)(Counter&)) {
  Counter counter;
  body(counter);
  (counter.*operation)();
}

extern "C" void plugin_add(Counter* counter) { counter->value += 2; }
