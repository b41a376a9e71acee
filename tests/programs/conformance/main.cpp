// conformance list | conformance CASE
#include <cstring>

#include "conformance.hpp"

void show(const char* text, long value) { std::printf("%s = %ld\n", text, value); }
void show_error(const char* text, int error) { std::printf("%s: %s\n", text, error ? strerrorname_np(error) : "ok"); }

timespec past() { return {1, 0}; }
timespec in(clockid_t clock, long milliseconds) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += milliseconds / 1000;
  t.tv_nsec += milliseconds % 1000 * 1'000'000;
  if (t.tv_nsec >= 1'000'000'000) ++t.tv_sec, t.tv_nsec -= 1'000'000'000;
  return t;
}

int main(int argc, char** argv) {
  for (const Case& c : Case::all()) {
    if (argc < 2 || std::strcmp(argv[1], "list") == 0) {
      std::puts(c.name);
    } else if (std::strcmp(argv[1], c.name) == 0) {
      c.run();
      return 0;
    }
  }
  return argc < 2 || std::strcmp(argv[1], "list") == 0 ? 0 : 2;
}
