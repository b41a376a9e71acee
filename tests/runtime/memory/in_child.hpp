// Runs a test in a process of its own, whose memory and descriptors may be spoilt.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

// In the child: ends it as failed, and says where.
#define CHECK_HERE(condition)                                             \
  do {                                                                    \
    if (!(condition)) {                                                   \
      dprintf(2, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
      _exit(1);                                                           \
    }                                                                     \
  } while (false)

template <class Body>
void in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}
