// Runs functions of counter.cpp, which is not instrumented, in and beside threads. This file is.
#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "counter.hpp"

namespace {

std::mutex mutex;
int unsanitized = 0;

template <class F>
void in_thread(F body) {
  std::thread(body).join();
}

void some_work() { std::lock_guard hold(mutex); }

// A leaf: clang marks calls in such functions nevertheless.
[[gnu::noinline]] __attribute__((no_sanitize("thread"))) void unsanitized_add() { unsanitized = unsanitized * 3 + 1; }
[[gnu::noinline]] __attribute__((no_sanitize("thread"))) void unsanitized_with_calls(int* value) {
  some_work();
  *value = *value * 3 + 1;
}

void call_plugin(const char* path, Counter& counter) {
  void* library = dlopen(path, RTLD_NOW);
  auto add = library ? reinterpret_cast<void (*)(Counter*)>(dlsym(library, "plugin_add")) : nullptr;
  if (add) in_thread([&] { add(&counter); });
  if (!add) std::puts(dlerror());
}

bool run(const std::string& how, const char* argument) {
  Counter counter;
  if (how == "thread") {
    in_thread([&] { counter.add(); });
  } else if (how == "two") {
    std::thread first([&] { counter.add(); }), second([&] { counter.add_by_helper(); });
    first.join();
    second.join();
  } else if (how == "alone") {  // before, between and after threads
    for (int i = 0; i < 3; ++i) {
      counter.add();
      in_thread(some_work);
      counter.add_by_helper();
    }
  } else if (how == "beside") {
    counter.add();
    counter.add_by_helper();
    std::thread thread(some_work);
    counter.add();
    thread.join();
  } else if (how == "detached") {
    std::thread(some_work).detach();
    counter.add();
  } else if (how == "on_stack") {
    with_counter([](Counter&) { in_thread(some_work); });
  } else if (how == "left") {
    with_counter([](Counter& inner) { inner.add_inline(); });
    in_thread(some_work);
  } else if (how == "inline") {
    void (Counter::*volatile add)() = &Counter::add_inline;  // the linker's copy, not a clone of this file's
    in_thread([&] { (counter.*add)(); });
  } else if (how == "harmless") {
    in_thread([&] { counter.value = sum(counter.value, 1); });
  } else if (how == "unsanitized") {
    in_thread(unsanitized_add);
  } else if (how == "unsanitized_with_calls") {
    in_thread([] { unsanitized_with_calls(&unsanitized); });
  } else if (how == "plugin") {
    call_plugin(argument, counter);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !run(argv[1], argc > 2 ? argv[2] : "")) return 2;
  return 0;
}
