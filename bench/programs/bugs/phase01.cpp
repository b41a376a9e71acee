// Two phases, each with a lock; a thread that is ahead keeps the first while it asks for the second.
#include "harness.hpp"
int main() {
  std::mutex x, y;
  std::atomic<int> phase = 0;
  together(
      [&] {
        x.lock();
        const bool ahead = phase == 0;
        if (!ahead) x.unlock();
        y.lock();
        phase = 1;
        y.unlock();
        if (ahead) x.unlock();
      },
      [&] {
        y.lock();
        const bool ahead = phase == 0;
        if (!ahead) y.unlock();
        x.lock();
        phase = 2;
        x.unlock();
        if (ahead) y.unlock();
      });
}
