// Two threads read a line each from standard input: with the right input the sum of their lengths is 6.
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

int main() {
  std::mutex mutex;
  size_t length = 0;
  auto read = [&] {
    std::lock_guard lock(mutex);
    std::string line;
    if (std::getline(std::cin, line)) length += line.size();
  };
  std::thread other(read);
  read();
  other.join();
  return length == 6 ? 0 : 3;
}
