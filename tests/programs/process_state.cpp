// Calls on state that threads share beside memory: ./process_state NAME. Those named *_first pass if the first thread
// goes first and fail otherwise; of the others the test knows how many traces there are.
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "named.hpp"

namespace {

namespace fs = std::filesystem;

std::string folder;  // of this program's own, empty in the beginning
const char *file, *other;

int lowest_free() {
  const int fd = dup(0);
  close(fd);
  return fd;
}
int null() { return open("/dev/null", O_RDONLY); }
int opened(int flags = O_RDWR | O_CREAT) { return open(file, flags, 0600); }
void make() { close(opened()); }
bool exists(const char* path = file) { return access(path, F_OK) == 0; }
struct stat about() {
  struct stat info {};
  stat(file, &info);
  return info;
}

// --- descriptors

template <class First, class Second>
void numbers(First first, Second second) {
  const int lowest = lowest_free();
  together(first, [=] { assert(second() == lowest + 1); });
}
void open_first() { numbers(null, null); }
void dup_first() {
  numbers([] { dup(0); }, [] { return dup(0); });
}
void creat_first() {
  numbers([] { creat(file, 0600); }, [] { return dup(0); });
}
void fopen_first() {
  numbers([] { fopen("/dev/null", "r"); }, [] { return dup(0); });
}
void opendir_first() {
  numbers([] { opendir("/"); }, [] { return dup(0); });
}
void fcntl_first() {
  numbers([] { fcntl(0, F_DUPFD, 0); }, [] { return fcntl(0, F_DUPFD_CLOEXEC, 0); });
}
void eventfd_first() {
  numbers([] { eventfd(0, 0); }, [] { return socket(AF_UNIX, SOCK_STREAM, 0); });
}
void mkstemp_first() {
  static std::string pattern = folder + "/XXXXXX";
  numbers([] { mkstemp(pattern.data()); }, [] { return dup(0); });
}
void pipe_first() {
  const int lowest = lowest_free();
  together(
      [] {
        static int ends[2];
        assert(pipe(ends) == 0);
      },
      [=] { assert(null() == lowest + 2); });
}
void close_first() {
  const int fd = null();
  together([=] { close(fd); }, [=] { assert(dup(0) == fd); });
}
void close_of_a_pipe_first() {
  int ends[2];
  assert(pipe(ends) == 0);
  together([=] { close(ends[0]); }, [=] { assert(dup(0) == ends[0]); });
}
void flags_first() {
  const int fd = opened();
  together([=] { fcntl(fd, F_SETFL, O_APPEND); }, [=] { assert(fcntl(fd, F_GETFL) & O_APPEND); });
}

// --- files

void umask_first() {
  together([] { umask(077); }, [] { assert(umask(022) == 077); });
}
void umask_before_creat_first() {
  together([] { umask(077); },
           [] {
             close(open(file, O_CREAT | O_RDWR, 0644));
             assert((about().st_mode & 0777) == 0600);
           });
}
void chdir_first() {
  together([] { assert(chdir("/") == 0); }, [] { assert(fs::current_path() == "/"); });
}
void fchdir_first() {
  const int root = open("/", O_RDONLY);
  together([=] { assert(fchdir(root) == 0); },
           [] {
             static char here[4096];
             assert(std::string(getcwd(here, sizeof here)) == "/");
           });
}
void chdir_before_open_first() {
  make();
  together([] { assert(chdir(folder.c_str()) == 0); }, [] { assert(open("file", O_RDONLY) >= 0); });
}
void made_first() {
  together(make, [] { assert(exists()); });
}
void made_exclusively_first() {
  together([] { make(); }, [] { assert(opened(O_CREAT | O_EXCL | O_RDWR) < 0); });
}
void unlink_first() {
  make();
  together([] { unlink(file); }, [] { assert(!exists()); });
}
void remove_first() {
  make();
  together([] { remove(file); }, [] { assert(open(file, O_RDONLY) < 0); });
}
void rename_first() {
  make();
  together([] { rename(file, other); }, [] { assert(exists(other)); });
}
void link_first() {
  make();
  together([] { assert(link(file, other) == 0); }, [] { assert(about().st_nlink == 2); });
}
void symlink_first() {
  together([] { assert(symlink("to", file) == 0); },
           [] {
             char text[9];
             assert(readlink(file, text, sizeof text) == 2);
           });
}
void mkdir_first() {
  together([] { mkdir(file, 0700); }, [] { assert(S_ISDIR(about().st_mode)); });
}
void mkdir_twice_first() {
  together([] { mkdir(file, 0700); }, [] { assert(mkdir(file, 0700) != 0); });
}
void rmdir_first() {
  mkdir(file, 0700);
  together([] { rmdir(file); }, [] { assert(!exists()); });
}
void chmod_first() {
  make();
  together([] { chmod(file, 0400); }, [] { assert((about().st_mode & 0777) == 0400); });
}
void truncate_first() {
  make();
  together([] { assert(truncate(file, 5) == 0); }, [] { assert(about().st_size == 5); });
}
void ftruncate_first() {
  const int fd = opened();
  together([=] { assert(ftruncate(fd, 5) == 0); },
           [=] {
             struct stat info {};
             fstat(fd, &info);
             assert(info.st_size == 5);
           });
}
void readdir_first() {
  together(make, [] {
    DIR* all = opendir(folder.c_str());
    int entries = 0;
    while (readdir(all)) ++entries;
    assert(entries == 3);  // with . and ..
  });
}
void write_first() {
  const int fd = opened();
  together([=] { assert(write(fd, "x", 1) == 1); }, [] { assert(about().st_size == 1); });
}
void write_before_pread_first() {
  const int fd = opened();
  together([=] { assert(pwrite(fd, "x", 1, 0) == 1); },
           [=] {
             char byte;
             assert(pread(fd, &byte, 1, 0) == 1);
           });
}
void position_first() {
  const int fd = opened();
  assert(write(fd, "ab", 2) == 2 && lseek(fd, 0, SEEK_SET) == 0);
  together([=] { assert(lseek(fd, 1, SEEK_SET) == 1); },
           [=] {
             char byte;
             assert(read(fd, &byte, 1) == 1 && byte == 'b');
           });
}

// --- std::filesystem and streams, which call from within libstdc++

void create_directory_first() {
  together([] { fs::create_directory(file); }, [] { assert(fs::exists(file)); });
}
void fs_remove_first() {
  make();
  together([] { fs::remove(file); }, [] { assert(!fs::exists(file)); });
}
void fs_rename_first() {
  make();
  together([] { fs::rename(file, other); }, [] { assert(fs::is_regular_file(other)); });
}
void fs_resize_first() {
  make();
  together([] { fs::resize_file(file, 7); }, [] { assert(fs::file_size(file) == 7); });
}
void fs_iterate_first() {
  together(make, [] { assert(fs::directory_iterator(folder) != fs::directory_iterator()); });
}
void ofstream_first() {
  together([] { std::ofstream stream(file); }, [] { assert(std::ifstream(file).is_open()); });
}
void stream_written_first() {
  together([] { std::ofstream(file) << "text"; },
           [] {
             std::string text;
             std::ifstream(file) >> text;
             assert(text == "text");
           });
}

// --- streams of the C library

FILE* stream;
void fputs_first() {
  stream = fopen(file, "w+");
  together([] { fputs("a", stream); }, [] { fputs("b", stream); });
  rewind(stream);
  assert(fgetc(stream) == 'a');
}
void fprintf_first() {
  stream = fopen(file, "w+");
  together([] { fprintf(stream, "%d", 1); }, [] { assert(fseek(stream, 0, SEEK_END) == 0 && ftell(stream) == 1); });
}

// --- other state of the process

const char* variable() {
  const char* value = getenv("LOCKSTEP_STATE");
  return value ? value : "";
}
void setenv_first() {
  together([] { setenv("LOCKSTEP_STATE", "1", 1); }, [] { assert(*variable() == '1'); });
}
void putenv_first() {
  static char text[] = "LOCKSTEP_STATE=1";
  together([] { putenv(text); }, [] { assert(*variable() == '1'); });
}
void unsetenv_first() {
  setenv("LOCKSTEP_STATE", "1", 1);
  together([] { unsetenv("LOCKSTEP_STATE"); }, [] { assert(!secure_getenv("LOCKSTEP_STATE")); });
}
void key_first() {
  static pthread_key_t first, second, probe;
  pthread_key_create(&probe, nullptr);
  pthread_key_delete(probe);
  together([] { pthread_key_create(&first, nullptr); },
           [] {
             pthread_key_create(&second, nullptr);
             assert(second == probe + 1);
           });
}
void setlocale_first() {
  together([] { assert(setlocale(LC_ALL, "C.UTF-8")); },
           [] { assert(std::string(setlocale(LC_ALL, nullptr)) == "C.UTF-8"); });
}
void setrlimit_first() {
  static rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  together(
      [] {
        rlimit lower = limit;
        --lower.rlim_cur;
        assert(setrlimit(RLIMIT_NOFILE, &lower) == 0);
      },
      [] {
        rlimit now;
        getrlimit(RLIMIT_NOFILE, &now);
        assert(now.rlim_cur + 1 == limit.rlim_cur);
      });
}
void strtok_first() {
  static char text[] = "a b", more[] = "c d";
  strtok(text, " ");
  together([] { strtok(more, " "); }, [] { assert(*strtok(nullptr, " ") == 'd'); });
}
void sigaction_first() {
  together([] { signal(SIGUSR1, SIG_IGN); },
           [] {
             struct sigaction now {};
             sigaction(SIGUSR1, nullptr, &now);
             assert(now.sa_handler == SIG_IGN);
           });
}

// --- how many traces

void mask() { umask(022); }
void look() { (void)variable(); }
void change() { setenv("LOCKSTEP_STATE", "2", 1); }
void ask() { (void)exists("/"); }
void two_looks_at_environment() { together(look, look); }
void look_and_change() { together(look, change); }
void two_looks_and_a_change() { together(look, look, change); }
void two_masks() { together(mask, mask); }
void three_masks() { together(mask, mask, mask); }
void mask_and_environment() { together(mask, change); }
void mask_and_question() { together(mask, ask); }
void two_questions() { together(ask, ask); }
void question_and_dup() {
  together(ask, [] { dup(0); });
}
void two_dups() {
  together([] { dup(0); }, [] { dup(0); });
}
void open_and_environment() { together(null, change); }
void two_opens() { together(null, null); }
void two_folders() {
  together([] { mkdir(file, 0700); }, [] { mkdir(other, 0700); });
}
void two_reads() {
  static int fd;
  fd = opened();
  const auto work = [] {
    char byte;
    (void)!read(fd, &byte, 1);
  };
  together(work, work);
}
void reads_of_two_files() {
  static int fds[2];
  fds[0] = opened();
  fds[1] = open(other, O_CREAT | O_RDWR, 0600);
  many(2, [](int i) {
    char byte;
    (void)!read(fds[i], &byte, 1);
  });
}
void two_preads() {
  static int fd;
  fd = opened();
  const auto work = [] {
    char byte;
    (void)!pread(fd, &byte, 1, 0);
  };
  together(work, work);
}
void waits_for_a_file() {
  together(
      [] {
        while (!exists()) continue;
      },
      make);
}
void waits_for_a_variable() {
  together(
      [] {
        while (!*variable()) continue;
      },
      change);
}
void waits_for_another_variable() {
  together(
      [] {
        while (!*variable()) continue;
      },
      [] {
        setenv("LOCKSTEP_OTHER", "1", 1);
        change();
      });
}
void folder_as_a_lock() {
  const auto work = [] {
    while (mkdir(file, 0700) != 0) continue;
    rmdir(file);
  };
  together(work, work);
}
void file_as_a_lock() {
  const auto work = [] {
    while (opened(O_CREAT | O_EXCL) < 0) continue;
    unlink(file);
  };
  together(work, work);
}
void inherited() {
  const auto work = [] { (void)!write(2, "", 0); };
  together(work, work);
}

constexpr Named kAll[] = {
    NAMED(open_first),
    NAMED(dup_first),
    NAMED(creat_first),
    NAMED(fopen_first),
    NAMED(opendir_first),
    NAMED(fcntl_first),
    NAMED(eventfd_first),
    NAMED(mkstemp_first),
    NAMED(pipe_first),
    NAMED(close_first),
    NAMED(close_of_a_pipe_first),
    NAMED(flags_first),
    NAMED(umask_first),
    NAMED(umask_before_creat_first),
    NAMED(chdir_first),
    NAMED(fchdir_first),
    NAMED(chdir_before_open_first),
    NAMED(made_first),
    NAMED(made_exclusively_first),
    NAMED(unlink_first),
    NAMED(remove_first),
    NAMED(rename_first),
    NAMED(link_first),
    NAMED(symlink_first),
    NAMED(mkdir_first),
    NAMED(mkdir_twice_first),
    NAMED(rmdir_first),
    NAMED(chmod_first),
    NAMED(truncate_first),
    NAMED(ftruncate_first),
    NAMED(readdir_first),
    NAMED(write_first),
    NAMED(write_before_pread_first),
    NAMED(position_first),
    NAMED(create_directory_first),
    NAMED(fs_remove_first),
    NAMED(fs_rename_first),
    NAMED(fs_resize_first),
    NAMED(fs_iterate_first),
    NAMED(ofstream_first),
    NAMED(stream_written_first),
    NAMED(fputs_first),
    NAMED(fprintf_first),
    NAMED(setenv_first),
    NAMED(putenv_first),
    NAMED(unsetenv_first),
    NAMED(key_first),
    NAMED(setlocale_first),
    NAMED(setrlimit_first),
    NAMED(strtok_first),
    NAMED(sigaction_first),
    NAMED(two_looks_at_environment),
    NAMED(look_and_change),
    NAMED(two_looks_and_a_change),
    NAMED(two_masks),
    NAMED(three_masks),
    NAMED(mask_and_environment),
    NAMED(mask_and_question),
    NAMED(two_questions),
    NAMED(question_and_dup),
    NAMED(two_dups),
    NAMED(open_and_environment),
    NAMED(two_opens),
    NAMED(two_folders),
    NAMED(two_reads),
    NAMED(reads_of_two_files),
    NAMED(two_preads),
    NAMED(waits_for_a_file),
    NAMED(waits_for_a_variable),
    NAMED(waits_for_another_variable),
    NAMED(folder_as_a_lock),
    NAMED(file_as_a_lock),
    NAMED(inherited),
};

}  // namespace

int main(int argc, char** argv) {
  static std::string files[2];
  folder = (fs::temp_directory_path() / ("lockstep-state-" + std::string(argc > 1 ? argv[1] : "all"))).string();
  fs::remove_all(folder);
  if (!(argc > 1 && std::string(argv[1]) == "list")) fs::create_directory(folder);
  file = (files[0] = folder + "/file").c_str();
  other = (files[1] = folder + "/other").c_str();
  const int result = run_named(kAll, argc, argv);
  fs::remove_all(folder);
  return result;
}
