// Programs that lock what they share, for the strategies that run atomic blocks; chosen by name. Data are plain.
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex a, b;
std::condition_variable changed;
int shared_data = 0, own_data[8];
bool ready = false;

void run(const std::vector<std::function<void()>>& bodies) {
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (const auto& body : bodies) threads.emplace_back(body);
  for (auto& t : threads) t.join();
}

void sections(int n, int k, const std::function<void(int)>& body) {
  std::vector<std::function<void()>> bodies;
  for (int i = 0; i < n; ++i)
    bodies.push_back([k, i, &body] {
      for (int j = 0; j < k; ++j) {
        std::lock_guard lock(a);
        body(i);
      }
    });
  run(bodies);
}

void split_sync() {
  int y = 0;
  {
    std::lock_guard lock(a);
    y = shared_data;
  }
  {
    std::lock_guard lock(a);
    assert(shared_data == y);
    shared_data = y + 1;
  }
}

// The only wrong order is far from the first one: the last region of thread 0 before the first of thread n - 1.
void long_regions(int n, int k) {
  std::vector<std::function<void()>> bodies;
  for (int i = 0; i < n; ++i)
    bodies.push_back([n, k, i] {
      for (int j = 0; j < k; ++j) {
        std::lock_guard lock(a);
        if (i == 0 && j == k - 1) ready = true;
        if (i == n - 1 && j == k / 2) assert(!ready || shared_data > 0);
        if (i == n - 2 && j == k - 1) shared_data = 1;
        ++own_data[i];
      }
    });
  run(bodies);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? std::atoi(argv[2]) : 2, k = argc > 3 ? std::atoi(argv[3]) : 2;
  if (name == "shared")
    sections(n, k, [](int i) { shared_data = i; });
  else if (name == "private")
    sections(n, k, [](int i) { ++own_data[i]; });
  else if (name == "read")
    sections(n, k, [](int i) { own_data[i] = shared_data; });
  else if (name == "split")
    run({split_sync, split_sync});
  else if (name == "regions")
    long_regions(n, k);
  else if (name == "figure2")
    run({[] {
           std::lock_guard outer(a);
           shared_data = 1;
           std::lock_guard inner(b);
         },
         [] {
           {
             std::lock_guard lock(a);
             own_data[0] = shared_data;
           }
           { std::lock_guard lock(b); }
         }});
  else if (name == "figure8")
    run({[] {
           std::lock_guard outer(a);
           std::lock_guard inner(b);
         },
         [] {
           std::lock_guard outer(b);
           std::lock_guard inner(a);
         }});
  else if (name == "figure10")
    run({[] {
           std::lock_guard outer(a);
           std::lock_guard inner(b);
         },
         [] {
           { std::lock_guard lock(a); }
           std::lock_guard outer(b);
           std::lock_guard inner(a);
         }});
  else if (name == "lost")  // the signal may come before the wait
    run({[] {
           std::unique_lock lock(a);
           changed.wait(lock);
         },
         [] { changed.notify_one(); }});
  else if (name == "if")  // not `while`: another consumer was faster
    run({[] {
           std::unique_lock lock(a);
           if (shared_data == 0) changed.wait(lock);
           assert(shared_data > 0);
           --shared_data;
         },
         [] {
           std::unique_lock lock(a);
           if (shared_data > 0) --shared_data;
         },
         [] {
           std::lock_guard lock(a);
           ++shared_data;
           changed.notify_one();
         }});
  else if (name == "unprotected")
    run({[] {
           { std::lock_guard lock(a); }
           shared_data = 1;
         },
         [] {
           std::lock_guard lock(a);
           shared_data = 2;
         }});
  else
    return 2;
  return 0;
}
