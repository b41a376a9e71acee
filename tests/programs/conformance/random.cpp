// Cases whose names begin with "repeat" print the same in every execution, but not the same as natively.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <random>

#include "conformance.hpp"

CASE(repeat_random_calls) {
  unsigned value = 0;
  SHOW(getrandom(&value, sizeof value, 0));
  SHOW(value);
  ERRNO(getentropy(&value, sizeof value));
  SHOW(value);
  SHOW(syscall(SYS_getrandom, &value, sizeof value, 0));
  SHOW(value);
  std::random_device device;
  SHOW(device());
  SHOW(device());
  SHOW(std::mt19937(std::random_device{}())());
}

CASE(repeat_arc4random) {
  SHOW(arc4random());
  SHOW(arc4random_uniform(1000));
  unsigned value = 0;
  arc4random_buf(&value, sizeof value);
  SHOW(value);
}

CASE(repeat_urandom) {
  unsigned value = 0;
  const int fd = open("/dev/urandom", O_RDONLY);
  SHOW(read(fd, &value, sizeof value));
  SHOW(value);
  close(fd);
  FILE* f = fopen("/dev/random", "r");
  SHOW(fread(&value, sizeof value, 1, f));
  fclose(f);
}

CASE(random_rand_of_main) {
  SHOW(rand());
  SHOW(random());
  srand(5);
  SHOW(rand());
  srand48(5);
  SHOW(lrand48());
  SHOW(mrand48());
  SHOW(static_cast<long>(drand48() * 1e9));
}

// What a thread draws does not depend on when the others draw.
CASE(repeat_rand_of_threads) {
  long first[5] = {}, second[5] = {};
  auto draw = [](long* out) {
    out[0] = rand();
    sched_yield();
    out[1] = random();
    out[2] = lrand48();
    out[3] = mrand48();
    out[4] = static_cast<long>(drand48() * 1e9);
  };
  together([&] { draw(first); }, [&] { draw(second); });
  for (int i = 0; i < 5; ++i) {
    SHOW(first[i]);
    SHOW(second[i]);
  }
}

CASE(repeat_ids) {
  SHOW(getpid());
  SHOW(gettid());
  SHOW(syscall(SYS_getpid));
  SHOW(sched_getcpu());
  std::atomic<int> first{0}, second{0};
  together([&] { first = gettid(); }, [&] { second = gettid(); });
  SHOW(first.load());
  SHOW(second.load());
}
