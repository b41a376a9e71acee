// `orders T K`: T threads take K tickets each. Every execution adds the order in which they got them to the file that
// LOCKSTEP_TEST_LOG names, so that what was executed is known whoever was killed. Orders: (TK)! / K!^T.
// With a third argument it fails once a thread has got all its tickets before the others.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  const int threads = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  std::atomic<int> next{0};
  std::string order(static_cast<size_t>(threads * rounds), '?');
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) order[static_cast<size_t>(next.fetch_add(1))] = static_cast<char>('a' + t);
    });
  for (std::thread& thread : all) thread.join();
  if (const char* log = std::getenv("LOCKSTEP_TEST_LOG")) {
    const int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const std::string line = order + "\n";
    if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
    close(file);
  }
  if (argc > 3) assert(order.find(std::string(static_cast<size_t>(rounds), 'c')) != 0);
}
