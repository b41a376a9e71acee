// Data races and their race-free twins: plain memory, thread life, the heap.
#include "races.hpp"

namespace {

int x, y;
char bytes[24];
struct Big {
  long part[6];
} big_a, big_b;
struct __attribute__((packed)) {
  char first;
  long value;
} packed;
volatile int v;
thread_local int local;

struct Base {
  virtual ~Base() = default;
  virtual void call() {}
};
struct Derived : Base {
  void call() override {}
};

char* copies() {
  thread_local char here[24];
  return here;
}

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

void plain_counter() {
  auto work = [] {
    x++;  // FIRST, SECOND
  };
  together(work, work);
}

void plain_disjoint() {
  together([] { x = 1; }, [] { y = 1; });
}

void plain_read_read() {
  together([] { sink(x); }, [] { sink(x); });
}

void plain_write_read() {
  together([] {
    x = 1;  // FIRST
  }, [] {
    sink(x);  // SECOND
  });
}

void before_create() {
  x = 1;
  std::thread t([] { sink(x); });
  t.join();
}

void after_create() {
  std::thread t([] {
    sink(x);  // FIRST
  });
  x = 1;  // SECOND
  t.join();
}

void after_join() {
  std::thread t([] { x = 1; });
  t.join();
  sink(x);
}

void before_join() {
  std::thread t([] {
    x = 1;  // FIRST
  });
  sink(x);  // SECOND
  t.join();
}

void grandchild() {
  std::thread t([] {
    x = 1;
    std::thread inner([] { x = 2; });
    inner.join();
    x = 3;
  });
  t.join();
  sink(x);
}

void join_other() {
  std::thread a([] {
    x = 1;  // FIRST
  });
  std::thread b([] {});
  b.join();
  sink(x);  // SECOND
  a.join();
}

void detached() {
  std::thread([] {
    x = 1;  // FIRST
  }).detach();
  sink(x);  // SECOND
}

void adjacent_bytes() {
  together([] { bytes[0] = 1; }, [] { bytes[1] = 1; });
}

void same_byte() {
  together([] {
    bytes[3] = 1;  // FIRST
  }, [] {
    bytes[3] = 2;  // SECOND
  });
}

void overlapping_sizes() {
  together([] {
    std::memcpy(bytes + 2, &x, 4);  // FIRST
  }, [] {
    bytes[5] = 2;  // SECOND
  });
}

void memset_neighbour() {
  together([] { std::memset(bytes, 1, 8); }, [] { std::memset(bytes + 8, 1, 8); });
}

void memset_overlap() {
  together([] {
    std::memset(bytes, 1, 9);  // FIRST
  }, [] {
    std::memset(bytes + 8, 1, 8);  // SECOND
  });
}

void memcpy_read() {
  together([] {
    std::memcpy(copies(), bytes, 16), sink(copies()[3]);  // FIRST
  }, [] {
    bytes[15] = 1;  // SECOND
  });
}

void memmove_write() {
  together([] {
    std::memmove(bytes + 1, bytes, 8);  // FIRST
  }, [] {
    sink(bytes[8]);  // SECOND
  });
}

void struct_copy() {
  together([] {
    big_a = big_b;  // FIRST
  }, [] {
    sink(big_a.part[3]);  // SECOND
  });
}

void unaligned() {
  together([] {
    packed.value = 1;  // FIRST
  }, [] {
    sink(packed.value);  // SECOND
  });
}

void volatile_flag() {
  together([] {
    v = 1;  // FIRST
  }, [] {
    sink(v);  // SECOND
  });
}

void virtual_call() {
  auto* object = new Derived;
  together([object] { object->call(); }, [object] { object->call(); });
  delete object;
}

void virtual_destruction() {
  static std::atomic<Base*> published;
  auto* object = new Derived;
  published.store(object, std::memory_order_relaxed);
  together([] {
    published.load(std::memory_order_relaxed)->call();  // FIRST
  }, [object] {
    new (object) Base;  // SECOND: the implicit constructor has the line of its class
  });
}

void thread_locals() {
  together([] { local = 1; }, [] { local = 2; });
}

void stack_shared() {
  int mine = 0;
  std::thread t([&] {
    mine = 1;  // FIRST
  });
  mine = 2;  // SECOND
  t.join();
}

void heap_shared() {
  auto* cell = new int(0);
  together([cell] {
    *cell = 1;  // FIRST
  }, [cell] {
    *cell = 2;  // SECOND
  });
  delete cell;
}

void free_after_join() {
  auto* cell = new int(0);
  std::thread t([cell] { *cell = 1; });
  t.join();
  delete cell;
}

void free_early() {
  auto* cell = new int(0);
  std::thread t([cell] {
    *cell = 1;  // FIRST
  });
  delete cell;  // SECOND
  t.join();
}

void malloc_free_early() {
  auto* cell = static_cast<int*>(std::malloc(64));
  std::thread t([cell] {
    cell[9] = 1;  // FIRST
  });
  std::free(cell);  // SECOND
  t.join();
}

void two_readers_one_writer() {
  together([] { sink(x); }, [] {
    sink(x);  // FIRST
  }, [] {
    x = 1;  // SECOND
  });
}

void vector_growth() {
  static std::vector<int> list;
  list.reserve(1);
  together([] {
    list.push_back(1);  // FIRST
  }, [] {
    list.push_back(2);  // SECOND
  });
}

void shared_ptr_counts() {
  auto p = std::make_shared<int>(1);
  together([p] { auto copy = p; }, [p] { auto copy = p; });
}

void unique_handover() {
  auto p = std::make_unique<int>(1);
  std::thread t([q = std::move(p)] { *q = 2; });
  t.join();
}

const Case kCases[] = {
    {"plain_counter", true, plain_counter, 35, 35},
    {"plain_disjoint", false, plain_disjoint, 0, 0},
    {"plain_read_read", false, plain_read_read, 0, 0},
    {"plain_write_read", true, plain_write_read, 50, 52},
    {"before_create", false, before_create, 0, 0},
    {"after_create", true, after_create, 64, 66},
    {"after_join", false, after_join, 0, 0},
    {"before_join", true, before_join, 78, 80},
    {"grandchild", false, grandchild, 0, 0},
    {"join_other", true, join_other, 97, 101},
    {"detached", true, detached, 107, 109},
    {"adjacent_bytes", false, adjacent_bytes, 0, 0},
    {"same_byte", true, same_byte, 118, 120},
    {"overlapping_sizes", true, overlapping_sizes, 126, 128},
    {"memset_neighbour", false, memset_neighbour, 0, 0},
    {"memset_overlap", true, memset_overlap, 138, 140},
    {"memcpy_read", true, memcpy_read, 146, 148},
    {"memmove_write", true, memmove_write, 154, 156},
    {"struct_copy", true, struct_copy, 162, 164},
    {"unaligned", true, unaligned, 170, 172},
    {"volatile_flag", true, volatile_flag, 178, 180},
    {"virtual_call", false, virtual_call, 0, 0},
    {"virtual_destruction", true, virtual_destruction, 195, 18},
    {"thread_locals", false, thread_locals, 0, 0},
    {"stack_shared", true, stack_shared, 208, 210},
    {"heap_shared", true, heap_shared, 217, 219},
    {"free_after_join", false, free_after_join, 0, 0},
    {"free_early", true, free_early, 234, 236},
    {"malloc_free_early", true, malloc_free_early, 243, 245},
    {"two_readers_one_writer", true, two_readers_one_writer, 251, 253},
    {"vector_growth", true, vector_growth, 261, 263},
    {"shared_ptr_counts", false, shared_ptr_counts, 0, 0},
    {"unique_handover", false, unique_handover, 0, 0},
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
