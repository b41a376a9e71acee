#include <thread>

#include "cell.hpp"

int count(void (Cell::*add)()) {
  Cell cell;
  std::thread other([&] { (cell.*add)(); });
  (cell.*add)();
  other.join();
  return cell.value();
}
