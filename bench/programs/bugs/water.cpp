// Two hydrogens and one oxygen make water; the barrier lets a third hydrogen in.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::condition_variable c;
  int hydrogen = 0, oxygen = 0, bonds_h = 0, bonds_o = 0, molecules = 0;
  auto atom = [&](bool is_oxygen) {
    std::unique_lock g(m);
    ++(is_oxygen ? oxygen : hydrogen);
    if (hydrogen >= 2 && oxygen >= 1) {
      hydrogen -= 2;
      oxygen -= 1;
      bonds_h += 2;
      bonds_o += 1;
      ++molecules;
      c.notify_all();
    }
    int& mine = is_oxygen ? bonds_o : bonds_h;
    if (mine == 0) c.wait(g);  // should look again
    --mine;
    assert(bonds_h >= 0 && bonds_o >= 0);
  };
  together_n(6, [&](int i) { atom(i % 3 == 0); });
}
