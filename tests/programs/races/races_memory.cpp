// More racy programs and race-free twins: parts of words, containers, memory that is used again, and what runs when
// threads and programs end.
#include "races.hpp"

#include <deque>
#include <new>
#include <sstream>
#include <stop_token>
#include <unordered_map>

int shared_value, value;  // not static: written and never read, they would be gone

// --- parts of words ---
struct Bits {
  unsigned a : 4, b : 4, : 0, c : 8;
};
Bits bits;
static void bit_fields_of_one_unit() {
  together([] { bits.a = 1; },  //
           [] { bits.b = 2; });
}
static void bit_fields_of_two_units() {
  together([] { bits.a = 1; }, [] { bits.c = 2; });
}
static std::vector<bool> flags(64);
static void vector_of_bool() {
  together([] { flags[1] = true; },  //
           [] { flags[2] = true; });
}
static void vector_of_bool_apart() {
  static std::vector<bool> many(256);
  together([] { many[1] = true; }, [] { many[130] = true; });
}
static void vector_of_char() {
  static std::vector<char> many(64);
  together([] { many[1] = 1; }, [] { many[2] = 1; });
}
char raw[32];
static void unaligned_apart() {
  together(
      [] {
        int v = 1;
        std::memcpy(raw + 1, &v, 4);
      },
      [] {
        int v = 2;
        std::memcpy(raw + 5, &v, 4);
      });
}
static void unaligned_overlap() {
  together(
      [] {
        int v = 1;
        std::memcpy(raw + 9, &v, 4);
      },
      [] {
        int v = 2;
        std::memcpy(raw + 12, &v, 4);
      });
}
char text[64];
static void last_byte_of_range() {
  together([] { std::memset(text, 1, 41); },  //
           [] { text[40] = 2; });
}
static void just_behind_range() {
  together([] { std::memset(text, 1, 40); }, [] { text[40] = 2; });
}
// --- strings, streams, containers ---
static void string_appended() {
  static std::string text = "abc";
  text.reserve(64);
  together([] { text[0] = 'x'; },  //
           [] { shared_value = text[0]; });
}
static void string_moved_under_lock() {
  static std::string text;
  static std::mutex m;
  together(
      [] {
        std::string mine(40, 'a');
        std::lock_guard l(m);
        text = std::move(mine);
      },
      [] {
        std::lock_guard l(m);
        std::string copy = text;
        if (copy.size() == 1) std::abort();
      });
}
static void own_streams() {
  together(
      [] {
        std::ostringstream s;
        s << 1 << "x" << 2.5;
        if (s.str().empty()) std::abort();
      },
      [] {
        std::ostringstream s;
        s << 3 << "y";
        if (s.str().empty()) std::abort();
      });
}
static void map_under_shared_lock() {
  static std::unordered_map<int, int> map;
  static std::shared_mutex m;
  together(
      [] {
        std::unique_lock l(m);
        map[1] = 2;
      },
      [] {
        std::shared_lock l(m);
        if (map.count(3)) std::abort();
      },
      [] {
        std::shared_lock l(m);
        if (map.count(4)) std::abort();
      });
}
static void written_under_shared_lock() {
  static std::shared_mutex m;
  together(
      [] {
        std::shared_lock l(m);
        value = 1;
      },
      [] {
        std::shared_lock l(m);
        value = 2;
      });
}
static void two_deques() {
  static std::deque<int> a, b;
  together(
      [] {
        for (int i = 0; i < 5; ++i) a.push_back(i);
      },
      [] {
        for (int i = 0; i < 5; ++i) b.push_back(i);
      });
}
// --- memory that is used again ---
static void placement_new_again() {
  alignas(16) static char place[16];
  static std::mutex m;
  together(
      [] {
        std::lock_guard l(m);
        auto* p = new (place) long(1);
        *p = 2;
      },
      [] {
        std::lock_guard l(m);
        auto* p = new (place) int(1);
        *p = 2;
      });
}
static void grown_in_place() {
  char* p = static_cast<char*>(std::malloc(8));
  p[0] = 1;
  p = static_cast<char*>(std::realloc(p, 4000));
  together([p] { p[0] = 2; }, [p] { p[3000] = 2; });
  std::free(p);
}
static void stack_used_again() {
  for (int i = 0; i < 2; ++i) {
    int local = 0;
    std::thread t([&] { local = 1; });
    t.join();
    if (local != 1) std::abort();
  }
}
static void stack_of_next_thread() {
  std::thread([] {
    [[maybe_unused]] volatile int a[16] = {};
    a[3] = 1;
  }).join();
  std::thread([] {
    [[maybe_unused]] volatile int a[16] = {};
    a[3] = 2;
  }).join();
}
static void freed_and_allocated_again() {
  together(
      [] {
        for (int i = 0; i < 3; ++i) {
          auto* p = new int(i);
          *p = 2;
          delete p;
        }
      },
      [] {
        for (int i = 0; i < 3; ++i) {
          auto* p = new int(i);
          *p = 3;
          delete p;
        }
      });
}
// --- ends ---
static int at_end;
struct CountsAtEnd {
  ~CountsAtEnd() { at_end = at_end + 1; }
  int used = 0;
};
static thread_local CountsAtEnd counts_at_end;
static void destructors_of_two_threads() {
  together([] { counts_at_end.used = 1; }, [] { counts_at_end.used = 1; });
}
static void destructors_in_turn() {
  std::thread([] { counts_at_end.used = 1; }).join();
  std::thread([] { counts_at_end.used = 1; }).join();
  if (at_end != 2) std::abort();
}
static int left_behind;
static void handler_after_join() {
  std::thread([] { left_behind = 1; }).join();
  std::atexit([] { left_behind = 2; });
}
static void scoped_threads() {
  {
    std::jthread t([&] { value = 1; });
  }
  value = 2;
}
static void scoped_thread_not_over() {
  std::jthread t([] { value = 11; });
  value = 2;
}
static void stop_requested() {
  std::jthread t([](std::stop_token s) {
    while (!s.stop_requested()) std::this_thread::yield();
    value = value + 1;
  });
  value = 5;
  t.request_stop();
}
static void callback_on_stop() {
  std::stop_source source;
  std::thread t([s = source.get_token()] { std::stop_callback c(s, [] { value = value + 1; }); });
  source.request_stop();
  t.join();
  value = 2;
}

static const Case kCases[] = {
    RACY(bit_fields_of_one_unit, 19, 20),
    FINE(bit_fields_of_two_units),
    RACY(vector_of_bool, 27, 28),
    FINE(vector_of_bool_apart),
    FINE(vector_of_char),
    FINE(unaligned_apart),
    RACY(unaligned_overlap, 54, 58),
    RACY(last_byte_of_range, 63, 64),
    FINE(just_behind_range),
    RACY(string_appended, 73, 74),
    FINE(string_moved_under_lock),
    FINE(own_streams),
    FINE(map_under_shared_lock),
    RACY(written_under_shared_lock, 126, 130),
    FINE(two_deques),
    FINE(placement_new_again),
    FINE(grown_in_place),
    FINE(stack_used_again),
    FINE(stack_of_next_thread),
    FINE(freed_and_allocated_again),
    RACY(destructors_of_two_threads, 204, 204),
    FINE(destructors_in_turn),
    FINE(handler_after_join),
    FINE(scoped_threads),
    RACY(scoped_thread_not_over, 228, 229),
    FINE(stop_requested),
    FINE(callback_on_stop),
};
int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof *kCases, argc, argv); }
