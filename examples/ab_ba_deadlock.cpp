// Two locks taken in two orders.
//
// Each transfer locks the account it takes money from, then the one it gives money to. Two transfers in opposite
// directions can each hold the lock the other one waits for. It takes one preemption, between the two locks; a
// test that merely runs the program passes almost every time.
#undef NDEBUG
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

Account accounts[2];

void transfer(Account& from, Account& to, int amount) {
  std::lock_guard hold_from(from.mutex);
  std::lock_guard hold_to(to.mutex);  // std::scoped_lock of both would be right
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  std::thread there([] { transfer(accounts[0], accounts[1], 30); });
  std::thread back([] { transfer(accounts[1], accounts[0], 10); });
  there.join();
  back.join();
  assert(accounts[0].balance == 80 && accounts[1].balance == 120);
}
