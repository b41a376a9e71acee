// Racy programs, each wrong in one place only: the race is reported in the two lines marked.
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <variant>

#include "races.hpp"

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

int x, y;
std::mutex m;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }
// The compiler must take it that others see this memory.
void escape(void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

struct Node {
  int value;
  Node* next;
};

void pipe_too_late() {
  static int fd[2];
  if (pipe(fd) != 0) std::abort();
  together([] {
    if (write(fd[1], "a", 1) != 1) std::abort();
    x = 1;  // FIRST
  }, [] {
    char c;
    if (read(fd[0], &c, 1) == 1)
      sink(x);  // SECOND
  });
}

void wrong_pipe() {
  static int a[2], b[2];
  if (pipe(a) != 0 || pipe(b) != 0 || write(b[1], "b", 1) != 1) std::abort();
  together([] {
    x = 1;  // FIRST
    if (write(a[1], "a", 1) != 1) std::abort();
  }, [] {
    char c;
    if (read(b[0], &c, 1) == 1)
      sink(x);  // SECOND
  });
}

void eventfd_too_late() {
  static int fd;
  fd = eventfd(0, 0);
  together([] {
    eventfd_write(fd, 1);
    x = 1;  // FIRST
  }, [] {
    eventfd_t value;
    eventfd_read(fd, &value);
    sink(x);  // SECOND
  });
}

void stack_pushed_relaxed() {
  static std::atomic<Node*> head;
  head = nullptr;
  together([] {
    Node* n = new Node{0, nullptr};
    n->value = 1;  // FIRST
    head.store(n, kRelaxed);
  }, [] {
    if (Node* n = head.load(kAcquire))
      sink(n->value);  // SECOND
  });
}

void stack_popped_relaxed() {
  static std::atomic<Node*> head;
  head = nullptr;
  together([] {
    Node* n = new Node{0, nullptr};
    n->value = 1;  // FIRST
    head.store(n, kRelease);
  }, [] {
    if (Node* n = head.exchange(nullptr, kRelaxed))
      sink(n->value);  // SECOND
  });
}

void ring_published_first() {
  static int slot[2];
  static std::atomic<unsigned> head;
  head = 0;
  together([] {
    head.store(1, kRelease);
    slot[0] = 5;  // FIRST
  }, [] {
    if (head.load(kAcquire) == 1)
      sink(slot[0]);  // SECOND
  });
}

void sequence_lock_plain() {
  static std::atomic<unsigned> version;
  static int data;
  version = 0;
  together([] {
    version.fetch_add(1, std::memory_order_acq_rel);
    data = 1;  // FIRST
    version.fetch_add(1, kRelease);
  }, [] {
    const unsigned before = version.load(kAcquire);
    sink(data);  // SECOND
    sink(version.load(kAcquire) - before);
  });
}

void hazard_not_announced() {
  static std::atomic<Node*> shared;
  static Node a, b;
  shared = &a;
  together([] {
    Node* p = shared.load();
    sink(p->value);  // FIRST
  }, [] {
    Node* old = shared.exchange(&b);
    old->value = -1;  // SECOND
  });
}

void double_checked_plain() {
  static std::string* instance;
  instance = nullptr;
  auto get = [] {
    if (!instance) {  // FIRST
      std::lock_guard l(m);
      if (!instance)
        instance = new std::string("made once");  // SECOND
    }
  };
  together(get, get);
}

void ticket_relaxed() {
  static std::atomic<int> serving;
  serving = 0;
  together([] {
    x++;  // FIRST
    serving.store(1, kRelaxed);
  }, [] {
    while (serving.load(kAcquire) != 1) std::this_thread::yield();
    x++;  // SECOND
  });
}

void fence_on_one_side() {
  static std::atomic<int> flag;
  flag = 0;
  together([] {
    x = 1;  // FIRST
    std::atomic_thread_fence(kRelease);
    flag.store(1, kRelaxed);
  }, [] {
    while (flag.load(kRelaxed) == 0) std::this_thread::yield();
    sink(x);  // SECOND
  });
}

void reference_beside_plain() {
  static int counter;
  together([] {
    std::atomic_ref(counter).store(1, kRelaxed);  // FIRST
  }, [] {
    sink(counter);  // SECOND
  });
}

void count_dropped_relaxed() {
  static std::atomic<int> count;
  static int data;
  count = 2;
  together([] {
    data = 1;  // FIRST
    count.fetch_sub(1, kRelaxed);
  }, [] {
    if (count.fetch_sub(1, kRelaxed) == 1)
      data = 2;  // SECOND
  });
  sink(data);
}

void shared_pointer_object() {
  static std::shared_ptr<int> p;
  p = std::make_shared<int>(1);
  together([q = p] {
    *q = 2;  // FIRST
  }, [q = p] {
    sink(*q);  // SECOND
  });
}

void container_read_unlocked() {
  static std::vector<int> v;
  v.assign(1, 0);
  together([] {
    std::lock_guard l(m);
    v[0] = 1;  // FIRST
  }, [] {
    sink(v[0]);  // SECOND
  });
}

void captured_by_reference() {
  int local = 0;
  std::thread t([&] {
    local = 1;  // FIRST
  });
  sink(local);  // SECOND
  t.join();
}

void future_not_waited_for() {
  static std::future<void> f;
  f = std::async(std::launch::async, [] {
    x = 1;  // FIRST
  });
  sink(x);  // SECOND
  f.get();
}

void condition_without_lock() {
  static bool ready;
  static std::condition_variable c;
  ready = false;
  together([] {
    ready = true;  // FIRST
    c.notify_one();
  }, [] {
    std::unique_lock l(m);
    c.wait_for(l, std::chrono::milliseconds(1));
    sink(ready);  // SECOND
  });
}

void lock_of_reader_only() {
  static std::shared_mutex rw;
  together([] {
    std::shared_lock l(rw);
    x++;  // FIRST
  }, [] {
    std::shared_lock l(rw);
    x++;  // SECOND
  });
}

void two_locks() {
  static std::mutex other;
  together([] {
    std::lock_guard l(m);
    y = 1;  // FIRST
  }, [] {
    std::lock_guard l(other);
    y = 2;  // SECOND
  });
  sink(y);
}

void bits_of_one_word() {
  struct Flags {
    unsigned a : 4, b : 4;
  };
  static Flags flags;
  together([] {
    flags.a = 1;  // FIRST
  }, [] {
    flags.b = 2;  // SECOND
  });
  sink(flags.a + flags.b);
}

void memset_of_all() {
  static char bytes[32];
  together([] {
    std::memset(bytes, 1, sizeof bytes);  // FIRST
  }, [] {
    sink(bytes[20]);  // SECOND
  });
}

void struct_assigned() {
  struct Big {
    long v[8];
  };
  static Big a, b;
  escape(&a);
  escape(&b);
  together([] {
    a = b;  // FIRST
    sink(a.v[0]);
  }, [] {
    a.v[5] = 1;  // SECOND
  });
}

void half_of_a_word() {
  static union {
    long whole;
    int half[2];
  } u;
  together([] {
    u.whole = 1;  // FIRST
  }, [] {
    u.half[1] = 2;  // SECOND
  });
  sink(u.whole);
}

void volatile_counter() {
  static volatile int v;
  together([] {
    v = v + 1;  // FIRST
  }, [] {
    v = 5;  // SECOND
  });
}

void deleted_meanwhile() {
  static int* p;
  p = new int(1);
  together([] {
    sink(*p);  // FIRST
  }, [] {
    delete p;  // SECOND
  });
}

void detached_and_forgotten() {
  static sem_t started;
  sem_init(&started, 0, 0);
  std::thread([] {
    sem_post(&started);
    x = 1;  // FIRST
  }).detach();
  sem_wait(&started);
  sink(x);  // SECOND
}

void array_off_by_one() {
  static int part[4];
  escape(part);
  together([] {
    for (int i = 0; i <= 2; ++i)
      part[i] = i;  // FIRST
  }, [] {
    for (int i = 2; i < 4; ++i)
      part[i] = i;  // SECOND
  });
  sink(part[0]);
}

void lazily_cached() {
  struct Cache {
    mutable bool known = false;
    mutable int value = 0;
    int get() const {
      if (!known) value = 7;
      known = true;  // BOTH
      return value;
    }
  };
  static Cache cache;
  together([] { sink(cache.get()); }, [] { sink(cache.get()); });
}

void map_inserted() {
  static std::map<int, int> table;
  table = {{1, 1}};
  static int* value;
  value = &table[1];
  together([] {
    *value = 3;  // FIRST
  }, [] {
    sink(table.begin()->second);  // SECOND
  });
}

void flag_and_data() {
  static bool done;
  done = false;
  together([] {
    x = 1;
    done = true;  // FIRST
  }, [] {
    if (done)  // SECOND
      sink(x);
  });
}

void optional_filled() {
  static std::optional<int> box;
  box.reset();
  together([] {
    box = 1;  // FIRST
  }, [] {
    sink(box.has_value());  // SECOND
  });
}

const Case kCases[] = {
    {"pipe_too_late", true, pipe_too_late, 37, 41},
    {"wrong_pipe", true, wrong_pipe, 49, 54},
    {"eventfd_too_late", true, eventfd_too_late, 63, 67},
    {"stack_pushed_relaxed", true, stack_pushed_relaxed, 76, 80},
    {"stack_popped_relaxed", true, stack_popped_relaxed, 89, 93},
    {"ring_published_first", true, ring_published_first, 103, 106},
    {"sequence_lock_plain", true, sequence_lock_plain, 116, 120},
    {"hazard_not_announced", true, hazard_not_announced, 131, 134},
    {"double_checked_plain", true, double_checked_plain, 142, 145},
    {"ticket_relaxed", true, ticket_relaxed, 155, 159},
    {"fence_on_one_side", true, fence_on_one_side, 167, 172},
    {"reference_beside_plain", true, reference_beside_plain, 179, 181},
    {"count_dropped_relaxed", true, count_dropped_relaxed, 190, 194},
    {"shared_pointer_object", true, shared_pointer_object, 203, 205},
    {"container_read_unlocked", true, container_read_unlocked, 214, 216},
    {"captured_by_reference", true, captured_by_reference, 223, 225},
    {"future_not_waited_for", true, future_not_waited_for, 232, 234},
    {"condition_without_lock", true, condition_without_lock, 243, 248},
    {"lock_of_reader_only", true, lock_of_reader_only, 256, 259},
    {"two_locks", true, two_locks, 267, 270},
    {"bits_of_one_word", true, bits_of_one_word, 281, 283},
    {"memset_of_all", true, memset_of_all, 291, 293},
    {"struct_assigned", true, struct_assigned, 305, 308},
    {"half_of_a_word", true, half_of_a_word, 318, 320},
    {"volatile_counter", true, volatile_counter, 328, 330},
    {"deleted_meanwhile", true, deleted_meanwhile, 338, 340},
    {"detached_and_forgotten", true, detached_and_forgotten, 349, 352},
    {"array_off_by_one", true, array_off_by_one, 360, 363},
    {"lazily_cached", true, lazily_cached, 374, 374},
    {"map_inserted", true, map_inserted, 388, 390},
    {"flag_and_data", true, flag_and_data, 399, 401},
    {"optional_filled", true, optional_filled, 410, 412},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
