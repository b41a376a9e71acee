#include "cell.hpp"

void Cell::add_atomically() { value_++; }
void Cell::add() { value_ = value_ + 1; }
int Cell::value() const { return value_; }
