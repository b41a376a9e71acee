// What libstdc++.so does with the program's memory on its behalf: the nodes of maps, sets and lists, and strings. Built
// as C++17, for which strings are there, too.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <list>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "races.hpp"

namespace {

std::mutex m;
std::map<int, int> numbers;
std::set<std::string> names;
std::list<int> items;
std::string text;

__attribute__((noinline)) void sink(long value) { asm volatile("" : : "r"(value)); }

// Every program starts from the same contents, before there is a thread.
void fill() {
  numbers = {{1, 1}, {3, 3}, {5, 5}};
  names = {"a name that is long enough for the heap", "b"};
  items = {1, 2, 3};
  text = "short";
}

template <class F, class G>
void racing(F f, G g) {
  fill();
  together(f, g);
}
template <class F, class G>
void in_turn(F f, G g) {
  fill();
  together(
      [f] {
        std::lock_guard l(m);
        f();
      },
      [g] {
        std::lock_guard l(m);
        g();
      });
}

// --- maps and sets ---
void map_insert_and_find() {
  racing([] { numbers.emplace(4, 4); },    // FIRST
         [] { sink(numbers.count(5)); });  // SECOND
}
void map_insert_and_find_in_turn() {
  in_turn([] { numbers.emplace(4, 4); }, [] { sink(numbers.count(5)); });
}
void map_erase_and_iterate() {
  racing([] { numbers.erase(1); },  // FIRST
         [] {
           long sum = 0;
           for (auto it = numbers.begin(); it != numbers.end(); ++it) sum += it->second;  // SECOND
           sink(sum);
         });
}
void map_erase_and_iterate_in_turn() {
  in_turn([] { numbers.erase(1); },
          [] {
            long sum = 0;
            for (auto it = numbers.rbegin(); it != numbers.rend(); ++it) sum += it->second;
            sink(sum);
          });
}
// Two elements of one map are two variables; both may be read and written while nobody changes the map.
void map_values_apart() {
  racing([] { numbers.at(1) = 2; }, [] { numbers.find(3)->second = 4; });
}
void map_value_shared() {
  racing([] { numbers.at(1) = 2; },             // FIRST
         [] { numbers.find(1)->second = 4; });  // SECOND
}
void maps_of_their_own() {
  auto body = [] {
    std::map<std::string, int> words;
    for (int i = 0; i < 9; ++i) words["word " + std::to_string(i)] = i;
    words.erase(words.begin());
    sink(words.rbegin()->second);
  };
  racing(body, body);
}
void map_read_by_both() {
  auto body = [] {
    long sum = 0;
    for (const auto& [key, value] : numbers) sum += key + value;
    sink(sum + static_cast<long>(names.count("b")));
  };
  racing(body, body);
}
void set_insert_and_insert() {
  racing([] { names.insert("c"); },   // FIRST
         [] { names.insert("d"); });  // SECOND
}
void set_handed_over() {
  racing(
      [] {
        std::lock_guard l(m);
        names.insert("c");
      },
      [] {
        std::set<std::string> taken;
        {
          std::lock_guard l(m);
          taken.swap(names);
        }
        for (auto& name : taken) sink(static_cast<long>(name.size()));
      });
}

// --- lists ---
void list_push_and_iterate() {
  racing([] { items.push_back(4); },  // FIRST
         [] {
           for (int item : items) sink(item);  // SECOND
         });
}
void list_push_and_iterate_in_turn() {
  in_turn([] { items.push_back(4); },
          [] {
            for (int item : items) sink(item);
          });
}
void list_spliced() {
  std::list<int> more = {7, 8};
  racing([&] { items.splice(items.end(), more); },  // FIRST
         [] { sink(items.back()); });               // SECOND
}
void list_spliced_in_turn() {
  std::list<int> more = {7, 8};
  in_turn([&] { items.splice(items.end(), more); }, [] { items.reverse(); });
}
void list_erase_keeps_others() {  // what one holds of another element stays valid
  fill();
  auto last = std::prev(items.end());
  together([] { items.pop_front(); }, [last] { *last = 9; });
}

// --- strings ---
void string_append_and_size() {
  racing([] { text.append(" of more than sixteen characters"); },  // FIRST
         [] { sink(static_cast<long>(text.size())); });            // SECOND
}
void string_append_and_size_in_turn() {
  in_turn([] { text.append(" of more than sixteen characters"); }, [] { sink(static_cast<long>(text.size())); });
}
void string_push_and_read() {
  racing([] { text.push_back('!'); },                                         // FIRST
         [] { sink(text.c_str()[0] + static_cast<long>(text.find('t'))); });  // SECOND
}
void string_assign_and_copy() {
  racing([] { text = "another text, and a longer one at that"; },  // FIRST
         [] { std::string copy(text); });                          // SECOND
}
void string_assign_and_copy_in_turn() {
  in_turn([] { text = "another text, and a longer one at that"; }, [] { std::string copy(text); });
}
void string_characters_apart() {
  racing([] { text[0] = 'S'; }, [] { text[1] = 'H'; });
}
void string_character_shared() {
  racing([] { text[0] = 'S'; },                 // FIRST
         [] { sink(text.compare("short")); });  // SECOND
}
// The beginning stays where it is while there is room for more.
void string_grows_behind_reader() {
  fill();
  text.reserve(100);
  const char* begin = text.data();
  together([] { text += " and more"; }, [begin] { sink(begin[0] + begin[4]); });
}
void strings_of_their_own() {
  auto body = [] {
    std::ostringstream out;
    out << "some text and " << 12 << text;
    std::string mine = out.str() + text;
    mine.insert(3, "xyz").erase(0, 2).replace(1, 1, "??");
    mine.resize(mine.size() * 2, '-');
    std::reverse(mine.begin(), mine.end());
    sink(static_cast<long>(mine.substr(2).rfind('s')));
    try {
      mine.at(1000) = 'x';
    } catch (const std::out_of_range& e) {
      sink(e.what()[0]);
    }
  };
  racing(body, body);
}
void string_of_thread_that_ended() {
  std::string result;
  std::thread t([&] { result = "what the thread has to say, at some length"; });
  t.join();
  together([result] { sink(static_cast<long>(result.size())); }, [r = std::move(result)] { sink(r.back()); });
}

// --- streams ---
std::ostringstream report;

void stream_shared() {
  racing([] { report << "text"; },  // FIRST
         [] { report << 12; });     // SECOND
}
void stream_shared_in_turn() {
  in_turn([] { report << "text" << 1.5; }, [] { report << 12 << 'c' << std::endl; });
}
void stream_written_and_read() {
  racing([] { report << text; },                                 // FIRST
         [] { sink(static_cast<long>(report.str().size())); });  // SECOND
}
void string_put_out() {
  std::ostringstream own;
  racing([] { text = "another text, and a longer one at that"; },  // FIRST
         [&] { own << text; });                                    // SECOND
}
void standard_stream_shared() {
  racing([] { std::clog << "" << std::flush; }, [] { std::clog << "" << std::flush; });
}

// --- the C library ---
char letters[64], others[64];

void letters_copied_and_measured() {
  racing([] { std::strcpy(letters, text.c_str()); },              // FIRST
         [] { sink(static_cast<long>(std::strlen(letters))); });  // SECOND
}
void letters_copied_and_measured_in_turn() {
  in_turn([] { std::strcpy(letters, text.c_str()); }, [] { sink(static_cast<long>(std::strlen(letters))); });
}
void letters_printed_and_read() {
  racing([] { std::snprintf(letters, sizeof letters, "%s!", text.c_str()); },  // FIRST
         [] { sink(letters[5]); });                                            // SECOND
}
void letters_printed_behind_reader() {
  racing([] { std::snprintf(letters, sizeof letters, "%s!", text.c_str()); }, [] { sink(letters[7]); });
}
void letters_searched_and_changed() {
  racing([] { sink(std::strchr(letters, 'x') != nullptr); },  // FIRST
         [] { letters[0] = 'y'; });                           // SECOND
}
void letters_received_and_read() {
  int ends[2];
  if (pipe(ends) || write(ends[1], "abc", 3) != 3) std::abort();
  racing([&] { sink(read(ends[0], letters, 3)); },  // FIRST
         [] { sink(letters[2]); });                 // SECOND
  close(ends[0]);
  close(ends[1]);
}
void letters_sent_and_reused() {
  int ends[2];
  if (pipe(ends)) std::abort();
  racing([&] { sink(write(ends[1], letters, 3)); },
         [&] {
           sink(read(ends[0], others, 3));
           letters[1] = others[1];
         });
  close(ends[0]);
  close(ends[1]);
}
void letters_reused_before_sent() {
  int ends[2];
  if (pipe(ends)) std::abort();
  racing([&] { sink(write(ends[1], letters, 3)); },  // FIRST
         [&] {
           letters[1] = 'x';  // SECOND
           sink(read(ends[0], others, 3));
         });
  close(ends[0]);
  close(ends[1]);
}
void blocks_compared_and_changed() {
  racing([] { sink(std::memcmp(letters, others, sizeof letters)); },  // FIRST
         [] { others[9] = 'x'; });                                    // SECOND
}
void blocks_compared_by_both() {
  auto body = [] { sink(std::memcmp(letters, others, sizeof letters) + std::strncmp(letters, others, 5)); };
  racing(body, body);
}
void letters_compared_up_to_their_end() {
  racing([] { sink(std::strcmp(letters, others)); }, [] { others[9] = 'x'; });
}

const Case kCases[] = {
    RACY(map_insert_and_find, 54, 55),
    FINE(map_insert_and_find_in_turn),
    RACY(map_erase_and_iterate, 61, 64),
    FINE(map_erase_and_iterate_in_turn),
    FINE(map_values_apart),
    RACY(map_value_shared, 81, 82),
    FINE(maps_of_their_own),
    FINE(map_read_by_both),
    RACY(set_insert_and_insert, 102, 103),
    FINE(set_handed_over),
    RACY(list_push_and_iterate, 123, 125),
    FINE(list_push_and_iterate_in_turn),
    RACY(list_spliced, 136, 137),
    FINE(list_spliced_in_turn),
    FINE(list_erase_keeps_others),
    RACY(string_append_and_size, 151, 152),
    FINE(string_append_and_size_in_turn),
    RACY(string_push_and_read, 158, 159),
    RACY(string_assign_and_copy, 162, 163),
    FINE(string_assign_and_copy_in_turn),
    FINE(string_characters_apart),
    RACY(string_character_shared, 172, 173),
    FINE(string_grows_behind_reader),
    FINE(strings_of_their_own),
    FINE(string_of_thread_that_ended),
    RACY(stream_shared, 210, 211),
    FINE(stream_shared_in_turn),
    RACY(stream_written_and_read, 217, 218),
    RACY(string_put_out, 222, 223),
    FINE(standard_stream_shared),
    RACY(letters_copied_and_measured, 233, 234),
    FINE(letters_copied_and_measured_in_turn),
    RACY(letters_printed_and_read, 240, 241),
    FINE(letters_printed_behind_reader),
    RACY(letters_searched_and_changed, 247, 248),
    RACY(letters_received_and_read, 253, 254),
    FINE(letters_sent_and_reused),
    RACY(letters_reused_before_sent, 272, 274),
    RACY(blocks_compared_and_changed, 281, 282),
    FINE(blocks_compared_by_both),
    FINE(letters_compared_up_to_their_end),
};

}  // namespace

int main(int argc, char** argv) { return run_case(kCases, sizeof kCases / sizeof kCases[0], argc, argv); }
