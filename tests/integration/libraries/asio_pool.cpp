// Asio's thread_pool: a correct use and a wrong one.
#include <asio.hpp>

#include "library.hpp"

void correct() {
  asio::thread_pool pool(2);
  std::atomic<int> done{0};
  for (int i = 0; i < 2; ++i) asio::post(pool, [&] { ++done; });
  pool.join();
  assert(done == 2);
}

void misused() {  // does not wait for what it has posted
  asio::thread_pool pool(2);
  std::atomic<int> done{0};
  for (int i = 0; i < 2; ++i) asio::post(pool, [&] { ++done; });
  assert(done == 2);
  pool.join();
}
