// Cigarette smokers with semaphores: two smokers each take one of what a third one needs.
#include "harness.hpp"
int main() {
  std::counting_semaphore<4> tobacco(0), paper(0), fire(0), done(0);
  std::thread agent([&] {
    tobacco.release();
    paper.release();
    done.acquire();
    paper.release();
    fire.release();
    done.acquire();
  });
  std::thread one([&] {
    tobacco.acquire();
    paper.acquire();
    done.release();
  });
  std::thread two([&] {
    paper.acquire();
    fire.acquire();
    done.release();
  });
  agent.join();
  one.join();
  two.join();
}
