#include "runtime/memory/undo.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "in_child.hpp"

namespace lockstep::rt {
namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(Undo, ClosesWhatWasOpenedAndKeepsTheRest) {
  in_child([] {
    const int before = open("/dev/null", O_RDONLY);
    Undo u{};
    u.remember();
    CHECK_HERE(u.inherited(before));
    const int fresh = open("/dev/null", O_RDONLY), far = fcntl(fresh, F_DUPFD, 700);
    CHECK_HERE(fresh >= 0 && far >= 700 && !u.inherited(fresh));
    u.opened();
    u.undo();
    CHECK_HERE(is_open(before) && !is_open(fresh) && !is_open(far));
  });
}

TEST(Undo, GivesTheStandardDescriptorsBack) {
  in_child([] {
    Undo u{};
    u.remember();
    struct stat before {
    }, after{};
    fstat(1, &before);
    close(1);
    CHECK_HERE(open("/dev/zero", O_WRONLY) == 1);
    u.opened();
    u.undo();
    CHECK_HERE(fstat(1, &after) == 0 && after.st_ino == before.st_ino && after.st_dev == before.st_dev);
  });
}

TEST(Undo, GoesBackToTheWorkingDirectoryAndTheMask) {
  in_child([] {
    CHECK_HERE(chdir("/tmp") == 0);
    umask(022);
    Undo u{};
    u.remember();
    CHECK_HERE(chdir("/") == 0);
    u.moved();
    u.masked(umask(077));
    u.undo();
    char path[64];
    CHECK_HERE(getcwd(path, sizeof path) && path[1] == 't');
    CHECK_HERE(umask(0) == 022);
  });
}

TEST(Undo, UnmapsWhatIsStillMapped) {
  in_child([] {
    Undo u{};
    u.remember();
    char* kept = static_cast<char*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char* gone = static_cast<char*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    u.mapped(kept, 4096);
    u.mapped(gone, 4096);
    u.unmapped(kept, 4096);  // as munmap() does: not its business any more
    u.undo();
    CHECK_HERE(msync(kept, 4096, MS_ASYNC) == 0);
    CHECK_HERE(msync(gone, 4096, MS_ASYNC) != 0);
  });
}

TEST(Undo, RaisesLimitsAgain) {
  in_child([] {
    rlimit before{}, after{};
    getrlimit(RLIMIT_NOFILE, &before);
    Undo u{};
    u.remember();
    u.limits(RLIMIT_NOFILE);
    rlimit fewer = before;
    --fewer.rlim_cur;
    CHECK_HERE(setrlimit(RLIMIT_NOFILE, &fewer) == 0);
    u.undo();
    getrlimit(RLIMIT_NOFILE, &after);
    CHECK_HERE(after.rlim_cur == before.rlim_cur);
  });
}

TEST(Undo, KnowsWhetherThereIsAnythingToUndo) {
  Undo u{};
  EXPECT_TRUE(u.nothing_to_undo());
  u.uses_shared_memory();
  EXPECT_FALSE(u.nothing_to_undo());
  u = {};
  u.moved();
  EXPECT_FALSE(u.nothing_to_undo());
}

}  // namespace
}  // namespace lockstep::rt
