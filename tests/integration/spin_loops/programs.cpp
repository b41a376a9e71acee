// Threads that wait by looking again and again. Without arguments: the names of the programs.
#undef NDEBUG
#include <semaphore.h>
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::atomic<int> a{0}, b{0}, c{0}, turn{0};
static int data;
static volatile int signal_flag;

template <class... F>
void together(F... body) {
  std::vector<std::thread> threads;
  (threads.emplace_back(body), ...);
  for (auto& t : threads) t.join();
}

static void flag() {
  together(
      [] {
        while (!a) {
        }
        assert(data == 1);
      },
      [] {
        data = 1;
        a = 1;
      });
}
static void either() {  // what it reads next is not what wakes it
  together([] { b = 1; },
           [] {
             while (!a && !b) {
             }
           });
}
static void chain() {
  together([] { a = 1; },
           [] {
             while (!a) {
             }
             b = 1;
           },
           [] {
             while (!b) {
             }
             assert(a == 1);
           });
}
static void ping_pong() {
  auto player = [](int me) {
    for (int i = 0; i < 2; ++i) {
      while (turn != me) {
      }
      turn = 1 - me;
    }
  };
  together([=] { player(0); }, [=] { player(1); });
}
static void peterson() {
  auto enter = [](std::atomic<int>& mine, std::atomic<int>& other, int next) {
    mine = 1;
    turn = next;
    while (other && turn == next) {
    }
    ++data;
    mine = 0;
  };
  together([=] { enter(a, b, 1); }, [=] { enter(b, a, 0); });
  assert(data == 2);
}
static void dekker_broken() {  // looks before it says that it wants to
  auto enter = [](std::atomic<int>& mine, std::atomic<int>& other) {
    while (other) {
    }
    mine = 1;
    assert(++c == 1);
    --c;
    mine = 0;
  };
  together([=] { enter(a, b); }, [=] { enter(b, a); });
}
static void sequence_lock() {
  together(
      [] {
        ++a;
        b = 1;
        c = 1;
        ++a;
      },
      [] {
        int before, x, y;
        do {
          before = a;
          x = b;
          y = c;
        } while (before & 1 || before != a);
        assert(x == y);
      });
}
struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> locked{false};
};
static void mcs_lock() {
  static std::atomic<Node*> tail{nullptr};
  auto work = [] {
    Node mine;
    if (Node* before = tail.exchange(&mine)) {
      mine.locked = true;
      before->next = &mine;
      while (mine.locked) {
      }
    }
    ++data;
    if (!mine.next) {
      Node* last = &mine;
      if (tail.compare_exchange_strong(last, nullptr)) return;
      while (!mine.next) {
      }
    }
    mine.next.load()->locked = false;
  };
  together(work, work);
  assert(data == 2);
}
static void sense_barrier() {
  auto arrive = [] {
    const int generation = b;
    if (++a == 2) {
      a = 0;
      ++b;
    } else {
      while (b == generation) {
      }
    }
  };
  together(arrive, arrive);
}
static void tried_mutex() {
  static std::mutex m;
  auto work = [] {
    while (!m.try_lock()) {
    }
    ++data;
    m.unlock();
  };
  together(work, work);
  assert(data == 2);
}
static void tried_shared_mutex() {
  static std::shared_mutex m;
  together(
      [] {
        while (!m.try_lock_shared()) {
        }
        m.unlock_shared();
      },
      [] {
        while (!m.try_lock()) {
        }
        ++data;
        m.unlock();
      });
}
static void tried_semaphore() {
  static sem_t s;
  sem_init(&s, 0, 0);
  together(
      [] {
        while (sem_trywait(&s)) {
        }
      },
      [] { sem_post(&s); });
}
static void polled_mutex() {
  static std::mutex m;
  static bool done = false;
  together(
      [] {
        for (;;) {
          {
            std::lock_guard lock(m);
            if (done) break;
          }
          std::this_thread::yield();
        }
      },
      [] {
        std::lock_guard lock(m);
        done = true;
      });
}
static void volatile_flag() {  // a data race, which is another matter
  together(
      [] {
        while (!signal_flag) {
        }
      },
      [] { signal_flag = 1; });
}
static void tried_abba_stuck() {
  static std::mutex x, y;
  together(
      [] {
        x.lock();
        while (!y.try_lock()) {
        }
        y.unlock();
        x.unlock();
      },
      [] {
        y.lock();
        while (!x.try_lock()) {
        }
        x.unlock();
        y.unlock();
      });
}
static void lost_stuck() {
  together(
      [] {
        if (!a) b = 1;
      },
      [] {
        a = 1;
        while (!b) {
        }
      });
}

#define ENTRY(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)();
} programs[] = {ENTRY(flag),
                ENTRY(either),
                ENTRY(chain),
                ENTRY(ping_pong),
                ENTRY(peterson),
                ENTRY(dekker_broken),
                ENTRY(sequence_lock),
                ENTRY(mcs_lock),
                ENTRY(sense_barrier),
                ENTRY(tried_mutex),
                ENTRY(tried_shared_mutex),
                ENTRY(tried_semaphore),
                ENTRY(polled_mutex),
                ENTRY(volatile_flag),
                ENTRY(tried_abba_stuck),
                ENTRY(lost_stuck)};

int main(int argc, char** argv) {
  for (const auto& program : programs) {
    if (argc == 1)
      std::puts(program.name);
    else if (!std::strcmp(argv[1], program.name))
      return program.run(), 0;
  }
  return argc == 1 ? 0 : 2;
}
