#pragma once
#include <atomic>

class Cell {
 public:
  void add_atomically();
  void add();
  int value() const;

 private:
  std::atomic<int> value_{0};
};

int count(void (Cell::*add)());
