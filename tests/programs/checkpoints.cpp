// Programs for checkpoints: "deep N" has a beginning of N scheduling points in which nothing can go otherwise, and a
// small search behind it. The others keep something outside memory.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

std::atomic<int> work, shared;

void beginning(int steps) {
  std::thread([steps] {
    for (int i = 0; i < steps; ++i) work.fetch_add(1);
  }).join();
}

template <class Body>
void three_threads(Body body) {
  std::thread a(body), b(body), c(body);
  a.join();
  b.join();
  c.join();
}

void deep(int steps) {
  beginning(steps);
  three_threads([] {
    for (int i = 0; i < 3; ++i) shared.fetch_add(1);
  });
}

// The name of the process is the kernel's. Set at the beginning it is the same in every execution from there.
void outside() {
  prctl(PR_SET_NAME, "one");
  beginning(10);
  three_threads([] {
    shared.fetch_add(1);
    char name[16] = {};
    prctl(PR_GET_NAME, name);
    if (std::strcmp(name, "one") != 0) shared.fetch_add(1);
    shared.fetch_add(1);
  });
  prctl(PR_SET_NAME, "two");
}

void descriptor() {
  const int fd = open("/dev/null", O_RDONLY);
  deep(10);
  close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "deep") == 0) deep(argc > 2 ? std::atoi(argv[2]) : 10'000);
  if (std::strcmp(name, "outside") == 0) outside();
  if (std::strcmp(name, "descriptor") == 0) descriptor();
}
