// Calls on state that threads share beside memory. Each is a step while another thread is there; what it does is the
// same.
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <locale.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "conformance.hpp"

static char place[] = "/tmp/lockstep-conformance-XXXXXX";
static int at;  // the folder

// In a folder of its own, in a second thread.
template <class F>
static void in_folder(F body) {
  assert(mkdtemp(place) && chdir(place) == 0);
  at = open(".", O_RDONLY | O_DIRECTORY);
  together(body);
  close(at);
  assert(chdir("/") == 0);
  ERRNO(rmdir(place));
}
static void make(const char* name) { close(open(name, O_CREAT | O_RDWR, 0600)); }

CASE(state_files_looked_at) {
  in_folder([] {
    make("a");
    struct stat info;
    struct stat64 info64;
    struct statx more;
    char text[9];
    ERRNO(access("a", R_OK));
    ERRNO(access("b", R_OK));
    ERRNO(euidaccess("a", W_OK));
    ERRNO(eaccess("b", W_OK));
    ERRNO(faccessat(at, "a", W_OK, 0));
    ERRNO(stat("a", &info));
    ERRNO(stat64("b", &info64));
    ERRNO(lstat64("a", &info64));
    ERRNO(fstatat64(at, "a", &info64, 0));
    ERRNO(statx(at, "a", 0, STATX_BASIC_STATS, &more));
    char* name = realpath("a", nullptr);
    SHOW(strcmp(name + strlen(name) - 2, "/a"));
    free(name);
    name = get_current_dir_name();
    SHOW(strcmp(name, place));
    free(name);
    ERRNO(readlinkat(at, "a", text, sizeof text));
    DIR* all = opendir(".");
    SHOW(readdir(all) != nullptr);
    SHOW(readdir64(all) != nullptr);
    ERRNO(closedir(all));
    ERRNO(unlink("a"));
  });
}

CASE(state_files_changed) {
  in_folder([] {
    make("a");
    ERRNO(rename("a", "b"));
    ERRNO(renameat(at, "b", at, "c"));
    ERRNO(renameat2(at, "c", at, "a", RENAME_NOREPLACE));
    ERRNO(link("a", "b"));
    ERRNO(linkat(at, "a", at, "c", 0));
    ERRNO(symlink("a", "d"));
    ERRNO(symlinkat("a", at, "e"));
    ERRNO(chmod("a", 0640));
    ERRNO(fchmodat(at, "a", 0600, 0));
    ERRNO(chown("a", getuid(), getgid()));
    ERRNO(truncate("a", 10));
    ERRNO(truncate64("a", 20));
    ERRNO(utimensat(at, "a", nullptr, 0));
    ERRNO(mkdir("f", 0700));
    ERRNO(mkdir("f", 0700));
    ERRNO(mkdirat(at, "g", 0700));
    ERRNO(mkfifo("h", 0600));
    ERRNO(mknod("i", S_IFREG | 0600, 0));
    SHOW(umask(027));
    SHOW(umask(022));
    for (const char* name : {"a", "b", "c", "d", "e"}) ERRNO(unlink(name));
    ERRNO(unlinkat(at, "h", 0));
    ERRNO(remove("i"));
    ERRNO(rmdir("f"));
    ERRNO(rmdir("f"));
    ERRNO(remove("g"));
  });
}

CASE(state_open_files) {
  in_folder([] {
    const int fd = open("a", O_CREAT | O_RDWR, 0600);
    struct stat info;
    struct stat64 info64;
    ERRNO(ftruncate(fd, 10));
    ERRNO(fstat(fd, &info));
    SHOW(info.st_size);
    ERRNO(ftruncate64(fd, 20));
    ERRNO(fstat64(fd, &info64));
    SHOW(info64.st_size);
    ERRNO(fchmod(fd, 0400));
    SHOW(lseek(fd, 3, SEEK_SET));
    SHOW(lseek64(fd, 3, SEEK_CUR));
    SHOW(pwrite(fd, "xy", 2, 1));
    SHOW(pwrite64(fd, "z", 1, 2));
    char text[3];
    SHOW(pread(fd, text, 3, 0));
    SHOW(memcmp(text, "\0xz", 3));
    close(fd);
    ERRNO(unlink("a"));
  });
}

static int scan(FILE* stream, const char* text, ...) {
  va_list list;
  va_start(list, text);
  const int found = vfscanf(stream, text, list);
  va_end(list);
  return found;
}
static int print_wide(FILE* stream, const wchar_t* text, ...) {
  va_list list;
  va_start(list, text);
  const int written = vfwprintf(stream, text, list);
  va_end(list);
  return written;
}

CASE(state_wide_streams) {
  in_folder([] {
    FILE* stream = fopen("a", "w+");
    SHOW(fputwc(L'1', stream));
    SHOW((putwc)(L'2', stream));
    SHOW(fputws(L"3\n", stream) >= 0);
    SHOW(fwprintf(stream, L"%d", 45));
    SHOW(print_wide(stream, L"%d\n", 67));
    rewind(stream);
    wchar_t text[9];
    SHOW(fgetwc(stream));
    SHOW((getwc)(stream));
    SHOW(fgetws(text, 9, stream) == text);
    SHOW(text[0]);
    SHOW(fclose(stream));
    ERRNO(unlink("a"));
  });
}

CASE(state_streams) {
  in_folder([] {
    FILE* stream = fopen("a", "w+");
    SHOW(fwrite("1 2\n", 1, 4, stream));
    SHOW(fputs("3\n", stream) >= 0);
    SHOW(fputc('4', stream));
    SHOW((putc)('5', stream));
    SHOW(fprintf(stream, "%d%s\n", 6, "7"));
    va_list none{};
    SHOW(vfprintf(stream, "8\n", none));
    SHOW(fflush(stream));
    SHOW(fseek(stream, 0, SEEK_SET));
    char text[9];
    SHOW(fgets(text, sizeof text, stream) == text);
    SHOW(fgetc(stream));
    SHOW((getc)(stream));
    char* line = nullptr;
    size_t size = 0;
    SHOW(getline(&line, &size, stream));  // an inline function that calls __getdelim
    SHOW(fseek(stream, 0, SEEK_SET));
    ssize_t (*volatile get)(char**, size_t*, FILE*) = getline;
    SHOW(get(&line, &size, stream));
    SHOW(getdelim(&line, &size, '\n', stream));
    free(line);
    SHOW(fread(text, 1, sizeof text, stream));
    rewind(stream);
    int number = 0;
    SHOW(fscanf(stream, "%d", &number));
    SHOW(number);
    SHOW(ungetc('9', stream));
    SHOW(ftell(stream));
    SHOW(scan(stream, "%d", &number));
    SHOW(number);
    SHOW(fclose(stream));
    ERRNO(unlink("a"));
  });
}

CASE(state_output) {
  in_folder([] {
    const int before = dup(1);
    fflush(stdout);
    const int file = open("a", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(file, 1);
    const int results[] = {printf("%d%s", 1, "2"), puts("3"), (putchar)('4')};
    va_list none{};
    const int last = vprintf("5\n", none);
    fflush(stdout);
    dup2(before, 1);
    for (const int result : results) SHOW(result);
    SHOW(last);
    char text[16]{};
    SHOW(pread(file, text, sizeof text, 0));
    SHOW(strcmp(text, "123\n45\n"));
    close(file);
    close(before);
    ERRNO(unlink("a"));
  });
}

CASE(state_temporary_files) {
  in_folder([] {
    static char a[] = "XXXXXX", b[] = "XXXXXX";
    SHOW(mkstemp64(a) >= 0);
    SHOW(mkostemp(b, O_CLOEXEC) >= 0);
    ERRNO(unlink(a));
    ERRNO(unlink(b));
    FILE* file = tmpfile64();
    SHOW(file != nullptr);
    fclose(file);
    const char* name = strrchr(place, '/');
    SHOW(shm_open(name, O_CREAT | O_RDWR, 0600) >= 0);
    ERRNO(shm_unlink(name));
    ERRNO(shm_unlink(name));
  });
}

CASE(state_descriptors) {
  together([] {
    const int fd = fcntl(0, F_DUPFD, 50);
    SHOW(fd);
    SHOW(fcntl64(fd, F_DUPFD_CLOEXEC, 50));
    SHOW(fcntl(51, F_GETFD));
    ERRNO(fcntl(fd, F_SETFD, FD_CLOEXEC));
    SHOW(fcntl64(fd, F_GETFD));
    const int s = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    ERRNO(bind(s, reinterpret_cast<sockaddr*>(&name), sizeof name.sun_family));
    ERRNO(listen(s, 1));
  });
}

CASE(state_environment) {
  together([] {
    static char text[] = "LOCKSTEP_A=3";
    ERRNO(setenv("LOCKSTEP_A", "1", 1));
    ERRNO(setenv("LOCKSTEP_A", "2", 0));
    SHOW(*getenv("LOCKSTEP_A"));
    ERRNO(putenv(text));
    SHOW(*secure_getenv("LOCKSTEP_A"));
    ERRNO(unsetenv("LOCKSTEP_A"));
    SHOW(getenv("LOCKSTEP_A") == nullptr);
    ERRNO(clearenv());
    SHOW(getenv("PATH") == nullptr);
  });
}

CASE(state_locale) {
  together([] {
    SHOW(*setlocale(LC_ALL, nullptr));
    SHOW(setlocale(LC_ALL, "C") != nullptr);
    SHOW(*localeconv()->decimal_point);
  });
}

CASE(state_limits) {
  together([] {
    rlimit limit;
    rlimit64 limit64;
    ERRNO(getrlimit(RLIMIT_NOFILE, &limit));
    --limit.rlim_cur;
    ERRNO(setrlimit(RLIMIT_NOFILE, &limit));
    ERRNO(getrlimit64(RLIMIT_NOFILE, &limit64));
    SHOW(limit64.rlim_cur == limit.rlim_cur);
    ++limit64.rlim_cur;
    ERRNO(setrlimit64(RLIMIT_NOFILE, &limit64));
  });
}

CASE(state_ids) {
  together([] {
    ERRNO(setgid(getgid()));
    ERRNO(setuid(getuid()));
    ERRNO(setegid(getegid()));
    ERRNO(seteuid(geteuid()));
    ERRNO(setregid(getgid(), getegid()));
    ERRNO(setreuid(getuid(), geteuid()));
    ERRNO(setresgid(getgid(), getegid(), getegid()));
    ERRNO(setresuid(getuid(), geteuid(), geteuid()));
    gid_t groups[64];
    const int count = getgroups(64, groups);
    ERRNO(setgroups(static_cast<size_t>(count), groups));
  });
}

CASE(repeat_nice) {
  together([] {
    SHOW(nice(1));
    ERRNO(setpriority(PRIO_PROCESS, 0, 5));
    SHOW(getpriority(PRIO_PROCESS, 0));
  });
}

CASE(state_library_buffers) {
  setenv("TZ", "UTC", 1);
  together([] {
    const time_t when = 1'000'000'000;
    tzset();
    tm* parts = localtime(&when);
    SHOW(parts->tm_year);
    SHOW(mktime(parts));
    tm mine;
    SHOW(localtime_r(&when, &mine)->tm_mon);
    SHOW(gmtime(&when)->tm_min);
    std::printf("%s%s", ctime(&when), asctime(&mine));
    char text[] = "a b";
    SHOW(*strtok(text, " "));
    SHOW(*strtok(nullptr, " "));
    SHOW(getpwnam("root")->pw_uid);
    SHOW(*getpwuid(0)->pw_name);
    SHOW(getgrnam("root")->gr_gid);
    SHOW(*getgrgid(0)->gr_name);
  });
}
