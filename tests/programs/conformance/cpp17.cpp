// What instrumented programs get from the runtime instead of libstdc++: the nodes of containers, and strings as C++17
// has them. Random operations, compared with vectors.
#include <algorithm>
#include <list>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance.hpp"

namespace {

struct Dice {
  unsigned state = 1;
  unsigned operator()(unsigned n) { return (state = state * 1664525 + 1013904223) / 65536 % n; }
};

struct Node {  // of a set
  int black;
  Node *parent, *left, *right;
};

// Black nodes on every path down; -1 where a rule of red-black trees is broken.
int blacks(const Node* node, const Node* parent) {
  if (!node) return 1;
  const int left = blacks(node->left, node), right = blacks(node->right, node);
  const bool two_reds = !node->black && ((node->left && !node->left->black) || (node->right && !node->right->black));
  return node->parent != parent || two_reds || left != right || left < 0 ? -1 : left + node->black;
}
bool is_red_black(const std::set<int>& set) {
  const auto* header = reinterpret_cast<const Node*>(reinterpret_cast<const char*>(&set) + sizeof(void*));
  return (!header->parent || header->parent->black) && blacks(header->parent, header) > 0;
}

}  // namespace

CASE(cpp17_trees) {
  Dice dice;
  std::set<int> set;
  std::vector<int> sorted;
  for (int i = 0; i < 600; ++i) {
    const int key = static_cast<int>(dice(60));
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
    const bool there = at != sorted.end() && *at == key;
    if (dice(2)) {
      assert(set.insert(key).second != there);
      if (!there) sorted.insert(at, key);
    } else {
      assert(set.erase(key) == there);
      if (there) sorted.erase(at);
    }
    assert(is_red_black(set));
    if (i % 16) continue;
    assert(std::equal(set.begin(), set.end(), sorted.begin(), sorted.end()));
    assert(std::equal(set.rbegin(), set.rend(), sorted.rbegin(), sorted.rend()));
  }
  SHOW(set.size());
}

CASE(cpp17_lists) {
  Dice dice;
  std::list<int> a, b;
  std::vector<int> like_a, like_b;
  auto same = [](const std::list<int>& list, const std::vector<int>& like) {
    assert(std::equal(list.begin(), list.end(), like.begin(), like.end()));
    assert(std::equal(list.rbegin(), list.rend(), like.rbegin(), like.rend()));
  };
  for (int i = 0; i < 200; ++i) {
    const unsigned what = dice(8);
    if (what < 2) {
      a.push_back(i);
      like_a.push_back(i);
    } else if (what == 2) {
      b.push_front(i);
      like_b.insert(like_b.begin(), i);
    } else if (what == 3) {
      a.swap(b);
      like_a.swap(like_b);
    } else if (what == 4) {
      a.reverse();
      std::reverse(like_a.begin(), like_a.end());
    } else if (what == 5 && !a.empty()) {
      a.pop_front();
      like_a.erase(like_a.begin());
    } else if (what == 6) {
      const auto part = static_cast<long>(dice(static_cast<unsigned>(b.size()) + 1));
      a.splice(a.begin(), b, b.begin(), std::next(b.begin(), part));
      like_a.insert(like_a.begin(), like_b.begin(), like_b.begin() + part);
      like_b.erase(like_b.begin(), like_b.begin() + part);
    } else {
      a.sort();
      std::sort(like_a.begin(), like_a.end());
    }
    same(a, like_a);
    same(b, like_b);
  }
  SHOW(a.size() + b.size());
}

CASE(cpp17_strings) {
  Dice dice;
  std::string text, other;
  std::vector<char> like;
  for (int i = 0; i < 300; ++i) {
    const auto at = dice(static_cast<unsigned>(text.size()) + 1), many = dice(20);
    const auto place = like.begin() + static_cast<long>(at);
    const auto rest = std::min<size_t>(many, text.size() - at);
    const char letter = static_cast<char>('a' + dice(26));
    const std::string word(many, letter);
    switch (dice(7)) {
      case 0:
        text.insert(at, word);
        like.insert(place, many, letter);
        break;
      case 1:
        text.erase(at, many);
        like.erase(place, place + static_cast<long>(rest));
        break;
      case 2:
        text += letter;
        like.push_back(letter);
        break;
      case 3:
        text.replace(at, many, word.c_str());
        like.insert(like.erase(place, place + static_cast<long>(rest)), many, letter);
        break;
      case 4:
        other = text;
        text = other.substr(0, at);
        like.resize(at);
        break;
      case 5:
        text.append(text, 0, at);  // of itself
        like.reserve(2 * like.size());
        like.insert(like.end(), like.begin(), like.begin() + static_cast<long>(at));
        break;
      default:
        text.shrink_to_fit();
        other.swap(text);
        text = std::move(other);
    }
    if (text.size() > 400) {
      text.resize(20, '-');
      like.resize(20);
    }
    assert(std::equal(text.begin(), text.end(), like.begin(), like.end()));
    assert(text.find(letter) ==
           (std::find(like.begin(), like.end(), letter) == like.end()
                ? std::string::npos
                : static_cast<size_t>(std::find(like.begin(), like.end(), letter) - like.begin())));
  }
  std::puts(text.c_str());
  try {
    text.at(10000) = 'x';
  } catch (const std::out_of_range& e) {
    std::puts(e.what());
  }
  try {
    text.insert(10000, "x");
  } catch (const std::out_of_range& e) {
    std::puts(e.what());
  }
  try {
    text.reserve(std::string::npos);
  } catch (const std::length_error& e) {
    std::puts(e.what());
  }
}
