// A token is handed over by a timed wait; the timeout and the token cross.
#include <chrono>
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable c;
  int token = 0, asked = 0, served = 0, refused = 0;
  auto client = [&] {
    std::unique_lock g(m);
    ++asked;
    if (c.wait_for(g, std::chrono::milliseconds(5)) == std::cv_status::timeout)
      ++refused;  // though a token may lie there
    else if (token > 0) {
      --token;
      ++served;
    }
  };
  together(client, client, [&] {
    std::unique_lock g(m);
    if (asked > 0) {
      ++token;
      c.notify_one();
    }
  });
  assert(token == 0);
}
