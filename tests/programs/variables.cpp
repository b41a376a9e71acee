// Programs whose bug needs a known number of preemptions, variables and threads (Bindal, Bansal & Lal 2013, figures 1
// to 10), on plain variables; chosen by name. `long N` has its bug at a variable that is accessed rarely among N
// accesses to another one.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

int a = 0, b = 0;
long busy[8];
std::atomic<bool> ready;
std::mutex guard;

void run(const std::vector<std::function<void()>>& bodies) {
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (const auto& body : bodies) threads.emplace_back(body);
  for (auto& t : threads) t.join();
}

[[gnu::noipa]] int get(const int& x) { return x; }
[[gnu::noipa]] void put(int& x, int value) { x = value; }
[[gnu::noipa]] void increment(int& x) { ++x; }

// Much work on memory of its own before and after every access that matters.
[[gnu::noinline]] void work(int thread, int amount) {
  static long table[8][256];
  for (int i = 0; i < amount; ++i) {
    long& cell = table[thread][i % 256];
    cell = cell * 31 + i;
    busy[thread] += cell & 1;
  }
}

// The same instruction on memory of one thread and, at last, on what is shared.
[[gnu::noinline]] void add_to_cells(int* own, int* last, int amount) {
  for (int i = 0; i < amount; ++i) increment(i + 1 < amount ? own[i % 64] : *last);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int amount = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (name == "figure1")
    run({[] { assert(get(a) == 0); }, [] { increment(a); }});
  else if (name == "figure2")
    run({[] {
           const int t1 = get(a), t2 = get(a);
           assert(t1 == t2);
         },
         [] { increment(a); }});
  else if (name == "figure3")
    run({[] {
           const int t1 = get(a), t2 = get(a);
           assert(t1 == t2);
         },
         [] {
           put(a, 1);
           put(a, 0);
         }});
  else if (name == "figure4")
    run({[] {
           const int t1 = get(a), t2 = get(a), t3 = get(b);
           assert(t1 == t2 || t3 != 1);
         },
         [] {
           put(a, 1);
           put(b, 1);
           put(b, 0);
         }});
  else if (name == "figure8")
    run({[] { increment(a); }, [] { increment(a); }, [] { assert(get(a) != 2); }});
  else if (name == "figure10")
    run({[] {
           const int t1 = get(a), t2 = get(a), t3 = get(b), t4 = get(b);
           assert(t1 == t2 || t3 == t4);
         },
         [] { increment(a); }, [] { increment(b); }});
  else if (name == "long")
    run({[amount] {
           work(0, amount);
           const int t1 = get(a);
           work(0, amount);
           const int t2 = get(a);
           assert(t1 == t2);
         },
         [amount] {
           work(1, amount);
           put(a, 1);
           work(1, amount);
         }});
  else if (name == "late")
    run({[amount] {
           int own[64] = {};
           add_to_cells(own, &a, amount);
         },
         [amount] {
           static int own[64];
           const int before = get(a);
           add_to_cells(own, &a, amount);
           assert(get(a) == before + 1 || amount == 0);
         }});
  else if (name == "copied")
    run({[amount] {
           const int one = 1;
           work(0, amount);
           std::memcpy(&a, &one, sizeof a);
         },
         [amount] {
           work(1, amount);
           const int t1 = get(a);
           work(1, amount);
           assert(t1 == get(a));
         }});
  else if (name == "waiting")  // in a loop that changes memory in every round
    run({[amount] {
           work(0, amount);
           put(a, 1);
           ready = true;
         },
         [amount] {
           work(1, amount);
           while (!ready) ++busy[1];
           assert(get(a) == 1);
         }});
  else if (name == "shared_late")  // that b is shared shows only if thread 2 looks in the middle of thread 1
    run({[] {
           std::unique_lock hold(guard);
           put(a, 1);
           hold.unlock();
           const int t1 = get(b), t2 = get(b);
           assert(t1 == t2);
           hold.lock();
           put(a, 2);
         },
         [] {
           std::unique_lock hold(guard);
           const bool inside = get(a) == 1;
           hold.unlock();
           if (inside) put(b, 1);
         }});
  else
    return 2;
  return 0;
}
