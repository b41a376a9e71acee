// Instrumented through and through: what it uses of the C++ library is not its own plain code.
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

int work(int seed) {
  std::ostringstream out;
  out << "thread " << seed << ' ' << 1.5 * seed << std::endl;
  std::smatch match;
  const std::string text = out.str();
  const bool found = std::regex_search(text, match, std::regex("([a-z]+) ([0-9]+)"));
  std::map<std::string, std::vector<int>> table;
  for (int i = 0; i < 3; ++i) table[std::to_string(i)].push_back(i + seed);
  const std::filesystem::path path = std::filesystem::path("a") / "b.txt";
  const std::function<int(int)> twice = [](int n) { return 2 * n; };
  return static_cast<int>(table.size() + path.extension().string().size()) + twice(found ? std::stoi(match[2]) : 0);
}

}  // namespace

int main() {
  auto result = std::async(std::launch::async, work, 1);
  std::thread other([] { std::cout << work(2) << '\n'; });
  const int sum = result.get() + work(3);
  other.join();
  try {
    throw std::runtime_error("none");
  } catch (const std::exception& e) {
    std::cout << e.what() << ' ' << sum << std::endl;
  }
}
