// Asio: a correct use and a wrong one.
#include <asio.hpp>

#include "library.hpp"

static void run(bool in_strand) {
  asio::io_context io;
  auto strand = asio::make_strand(io);
  auto work = asio::make_work_guard(io);
  int n = 0;
  auto add = [&n] {
    const int seen = n;
    std::this_thread::yield();
    n = seen + 1;
  };
  for (int i = 0; i < 2; ++i)
    if (in_strand)
      asio::post(strand, add);
    else
      asio::post(io, add);
  asio::steady_timer timer(io, std::chrono::seconds(1));
  timer.async_wait([&](asio::error_code) { work.reset(); });
  together([&] { io.run(); }, [&] { io.run(); });
  assert(n == 2);
}

void correct() { run(true); }
void misused() { run(false); }
