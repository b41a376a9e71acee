// N plain reads and as many writes while another thread exists, to memory that both have used: what an instrumented
// access costs.
#include <semaphore.h>

#include <cstdlib>
#include <thread>

static int data[256];

__attribute__((noinline)) static void change_all(int* to, long n) {
  for (long i = 0; i < n; ++i) {
    to[i & 255] += static_cast<int>(i);
    asm volatile("" : : : "memory");
  }
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 0;
  static sem_t touched, done;
  sem_init(&touched, 0, 0);
  sem_init(&done, 0, 0);
  std::thread other([] {
    change_all(data, 256);
    sem_post(&touched);
    sem_wait(&done);
  });
  sem_wait(&touched);
  change_all(data, n);
  sem_post(&done);
  other.join();
}
