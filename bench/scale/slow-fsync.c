/*
 * Makes each fsync and fdatasync of a process take 20 ms longer, like the disk of a small virtual server.
 * Built and preloaded by `npm run bench -- scale --slow-disk`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static const struct timespec DELAY = {0, 20 * 1000 * 1000};

static int slowly(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&DELAY, 0);
  return real(fd);
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
