// Calls the routine of a pthread_once, and leaves the once in a defined state also when an exception passes through.
__attribute__((visibility("hidden"))) void lockstep_leave_once(void* once, int done);

struct run {
  void* once;
  int done;
};

static void leave(struct run* r) { lockstep_leave_once(r->once, r->done); }

__attribute__((visibility("hidden"))) void lockstep_call_once_routine(void* once, void (*routine)(void)) {
  struct run r __attribute__((cleanup(leave))) = {once, 0};
  routine();
  r.done = 1;
}
