// The flag is set outside the lock: the notification can fall between the test and the wait.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable ready;
  std::atomic<bool> flag = false;
  together(
      [&] {
        std::unique_lock lock(m);
        while (!flag) ready.wait(lock);
      },
      [&] {
        flag = true;
        ready.notify_one();
      });
}
