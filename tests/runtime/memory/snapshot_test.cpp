#include "runtime/memory/snapshot.hpp"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "in_child.hpp"

namespace lockstep::rt {
namespace {

// In memory that is no part of the snapshot.
struct {
  Snapshot snapshot;
  int faults;
} * under_test;

void on_fault(int, siginfo_t* info, void*) {
  if (!under_test->snapshot.handle_write_fault(reinterpret_cast<uintptr_t>(info->si_addr))) _exit(3);
  ++under_test->faults;
}

Snapshot& take() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  runtime.threads =
      static_cast<Thread*>(map_unsaved_pages(sizeof(Thread)));  // nobody's: this thread is not the program's
  under_test = static_cast<decltype(under_test)>(map_unsaved_pages(sizeof *under_test));
  under_test->snapshot.take();
  return under_test->snapshot;
}

char* pages(size_t count, int how) {
  return static_cast<char*>(mmap(nullptr, count * kPage, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0));
}

alignas(kPage) int variable[kPage / sizeof(int)] = {1};

TEST(Snapshot, PutsVariablesBack) {
  in_child([] {
    Snapshot& s = take();
    for (int execution = 0; execution < 3; ++execution) {
      CHECK_HERE(variable[0] == 1 && variable[5] == 0);
      variable[0] = 2;
      variable[5] = 7;
      s.restore();
    }
    CHECK_HERE(variable[0] == 1 && variable[5] == 0);
  });
}

TEST(Snapshot, PutsPrivateAndSharedMappingsBack) {
  in_child([] {
    char *own = pages(3, MAP_PRIVATE), *shared = pages(2, MAP_SHARED);
    strcpy(own + kPage, "initial");
    strcpy(shared, "initial");
    Snapshot& s = take();
    strcpy(own + kPage, "changed");
    strcpy(own + 2 * kPage, "new");
    strcpy(shared, "changed");
    s.restore();
    CHECK_HERE(strcmp(own + kPage, "initial") == 0 && own[2 * kPage] == 0);
    CHECK_HERE(strcmp(shared, "initial") == 0);
  });
}

TEST(Snapshot, PutsBackWhatAChildProcessWroteToSharedMemory) {
  in_child([] {
    char* shared = pages(1, MAP_SHARED);
    Snapshot& s = take();
    s.touch_shared();
    const pid_t child = fork();
    if (child == 0) {
      shared[9] = 1;
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    CHECK_HERE(shared[9] == 1);
    s.restore();
    CHECK_HERE(shared[9] == 0);
  });
}

TEST(Snapshot, CostsAFaultPerPageOnlyOnce) {
  in_child([] {
    char* own = pages(4, MAP_PRIVATE);
    Snapshot& s = take();
    own[0] = own[kPage] = 1;
    const int before = under_test->faults;
    CHECK_HERE(before >= 2);
    s.restore();
    own[1] = own[kPage + 1] = 1;
    CHECK_HERE(under_test->faults == before);
    own[3 * kPage] = 1;
    CHECK_HERE(under_test->faults == before + 1);
  });
}

TEST(Snapshot, TouchesWhatTheKernelIsAboutToWrite) {
  in_child([] {
    char* own = pages(2, MAP_PRIVATE);
    int ends[2];
    Snapshot& s = take();
    s.touch(ends, sizeof ends);
    CHECK_HERE(pipe(ends) == 0 && write(ends[1], "hello", 5) == 5);
    CHECK_HERE(read(ends[0], own + kPage - 2, 5) < 5);  // EFAULT, or no further than the first page
    CHECK_HERE(write(ends[1], "hello", 5) == 5);
    s.touch(own + kPage - 2, 5);
    CHECK_HERE(read(ends[0], own + kPage - 2, 5) == 5);
    s.restore();
    CHECK_HERE(own[kPage] == 0);
  });
}

TEST(Snapshot, GoesBackToACheckpointAndToTheBeginning) {
  in_child([] {
    char *own = pages(2, MAP_PRIVATE), *copy = static_cast<char*>(map_unsaved_pages(64 * kPage));
    Snapshot& s = take();
    own[0] = 1;
    const size_t count = s.dirty_pages();
    CHECK_HERE(count >= 1 && count < 64);
    s.copy_dirty(copy);
    own[0] = 2;
    own[kPage] = 2;  // not written before the checkpoint
    s.restore_to(copy, count);
    CHECK_HERE(own[0] == 1 && own[kPage] == 0);
    s.restore();
    CHECK_HERE(own[0] == 0);
  });
}

TEST(Snapshot, AbsorbsWhatTheRuntimeChanged) {
  in_child([] {
    char* own = pages(1, MAP_PRIVATE);
    Snapshot& s = take();
    own[0] = 5;
    s.absorb();
    own[0] = 6;
    s.restore();
    CHECK_HERE(own[0] == 5);
  });
}

TEST(Snapshot, LeavesRealFaultsAlone) {
  in_child([] {
    char* own = pages(1, MAP_PRIVATE);
    Snapshot& s = take();
    own[0] = 1;
    CHECK_HERE(!s.handle_write_fault(reinterpret_cast<uintptr_t>(own)));  // is writable
    CHECK_HERE(!s.handle_write_fault(8));
  });
}

}  // namespace
}  // namespace lockstep::rt
