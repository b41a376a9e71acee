// After Transmission and others: a pool of threads uses what the main thread sets after it has started them.
#include "harness.hpp"
struct Session {
  int band = 0;
  int peers[8] = {};
};
Session* session;
int started;
std::mutex m;
int main() {
  std::vector<std::thread> pool;
  for (int i = 0; i < 4; ++i)
    pool.emplace_back([i] {
      {
        std::scoped_lock g(m);
        ++started;
      }
      for (int k = 0; k < 3; ++k) {
        std::scoped_lock g(m);
        if (session) session->peers[i]++;
      }
      if (i == 3) assert(session != nullptr);
    });
  static Session s;
  {
    std::scoped_lock g(m);
    started += 10;
  }
  session = &s;
  for (auto& t : pool) t.join();
}
