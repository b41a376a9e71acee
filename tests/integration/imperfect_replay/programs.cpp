// Programs whose executions do not repeat. Without arguments: their names.
#undef NDEBUG
#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>

static std::mutex m;
static int shared;

// Takes the lock once or twice, depending on something the schedule does not decide.
static void twice_if(bool odd) {
  auto work = [odd] {
    for (int i = 0; i < (odd ? 3 : 1); ++i) {
      std::lock_guard lock(m);
      ++shared;
    }
  };
  std::thread x(work), y(work);
  x.join();
  y.join();
}

static void counts_its_runs() {  // in a file
  int fd = open("runs", O_RDWR | O_CREAT, 0600), n = 0;
  assert(fd >= 0);
  if (pread(fd, &n, sizeof n, 0) != sizeof n) n = 0;
  ++n;
  assert(pwrite(fd, &n, sizeof n, 0) == sizeof n);
  close(fd);
  twice_if(n / 5 % 2);  // the first executions are alike
}
static void reads_the_cycle_counter() { twice_if(__builtin_ia32_rdtsc() >> 16 & 1); }
static void reads_processor_time() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  twice_if(t.tv_nsec >> 4 & 1);
}
static void initialises_late() {  // the first run is longer than all others
  static bool initialised = false;
  std::unique_lock lock(m);
  const bool first = !initialised;
  initialised = true;
  lock.unlock();
  twice_if(first);
}

static void needs_a_file() {
  auto load = [] {
    const int fd = open("settings", O_RDONLY);
    std::lock_guard lock(m);
    shared += fd >= 0;
    if (fd >= 0) close(fd);
  };
  std::thread x(load), y(load);
  x.join();
  y.join();
  assert(shared == 2);
}

static const struct {
  const char* name;
  void (*run)();
} programs[] = {{"counts_its_runs", counts_its_runs},
                {"reads_the_cycle_counter", reads_the_cycle_counter},
                {"reads_processor_time", reads_processor_time},
                {"initialises_late", initialises_late},
                {"needs_a_file", needs_a_file}};

int main(int argc, char** argv) {
  for (const auto& program : programs) {
    if (argc == 1)
      std::puts(program.name);
    else if (!std::strcmp(argv[1], program.name))
      return program.run(), 0;
  }
  return argc == 1 ? 0 : 2;
}
