// Programs whose bug needs a known number of preemptions, variables and threads (Bindal, Bansal & Lal 2013, figures 1
// to 10), on plain variables; chosen by name. `long N` has its bug at a variable that is accessed rarely among N
// accesses to another one.
#include <cassert>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

int a = 0, b = 0;
long busy[8];

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
  else
    return 2;
  return 0;
}
