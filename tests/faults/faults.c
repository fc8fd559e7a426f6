/* Preloaded into a test's process: the n-th call that changes a file below a folder is made to
 * fail, or kills the process. It stands below Python and SQLite alike, so that both are tried. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum fault { COUNT, KILL, FULL, INPUT_OUTPUT, DENIED, SHORT_WRITE };

static char root[PATH_MAX];
static enum fault fault;
static long at, calls;
static int armed, full;

void faults_arm(const char *folder, int kind, long call) {
    strncpy(root, folder, sizeof root - 1);
    fault = kind, at = call, calls = 0, full = 0, armed = 1;
}

long faults_disarm(void) {
    armed = 0;
    return calls;
}

static int is_below(const char *path) {
    /* A relative path is one that Python was given with a folder's descriptor. */
    return path && (path[0] != '/' || !strncmp(path, root, strlen(root)));
}

static int is_open_below(int descriptor) {
    char link[64], target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    return is_below(target);
}

/* The error that this call must fail with; 0 where it may go on, -1 for a short write. */
static int next_fault(int takes_room, int changes_names) {
    calls++;
    if (full && takes_room) return ENOSPC;
    if (calls != at) return 0;
    switch (fault) {
    case KILL: kill(getpid(), SIGKILL); return 0;
    case FULL: full = 1; return takes_room ? ENOSPC : 0;
    case SHORT_WRITE: full = 1; return takes_room && !changes_names ? -1 : 0;
    case INPUT_OUTPUT: return EIO;
    case DENIED: if (changes_names) return EACCES; at++; return 0; /* the next that can be denied */
    default: return 0;
    }
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

#define FAIL_IF(condition, room, names)                       \
    if (armed && (condition)) {                               \
        int error = next_fault(room, names);                  \
        if (error) { errno = error; return -1; }              \
    }

#define WRITER(name, parameters, arguments, half)             \
    ssize_t name parameters {                                 \
        if (armed && is_open_below(descriptor)) {             \
            int error = next_fault(1, 0);                     \
            if (error == -1) return REAL(name) half;          \
            if (error) { errno = error; return -1; }          \
        }                                                     \
        return REAL(name) arguments;                          \
    }

WRITER(write, (int descriptor, const void *data, size_t size), (descriptor, data, size),
       (descriptor, data, size / 2))
WRITER(pwrite, (int descriptor, const void *data, size_t size, off_t offset),
       (descriptor, data, size, offset), (descriptor, data, size / 2, offset))
WRITER(pwrite64, (int descriptor, const void *data, size_t size, off64_t offset),
       (descriptor, data, size, offset), (descriptor, data, size / 2, offset))

int fsync(int descriptor) {
    FAIL_IF(is_open_below(descriptor), 0, 0)
    return REAL(fsync)(descriptor);
}
int fdatasync(int descriptor) {
    FAIL_IF(is_open_below(descriptor), 0, 0)
    return REAL(fdatasync)(descriptor);
}
int ftruncate(int descriptor, off_t size) {
    FAIL_IF(is_open_below(descriptor), 0, 0)
    return REAL(ftruncate)(descriptor, size);
}
int ftruncate64(int descriptor, off64_t size) {
    FAIL_IF(is_open_below(descriptor), 0, 0)
    return REAL(ftruncate64)(descriptor, size);
}
int rename(const char *from, const char *to) {
    FAIL_IF(is_below(to), 0, 1)
    return REAL(rename)(from, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    FAIL_IF(is_below(to), 0, 1)
    return REAL(renameat)(from_folder, from, to_folder, to);
}
int link(const char *from, const char *to) {
    FAIL_IF(is_below(to), 1, 1)
    return REAL(link)(from, to);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    FAIL_IF(is_below(to), 1, 1)
    return REAL(linkat)(from_folder, from, to_folder, to, flags);
}
int unlink(const char *path) {
    FAIL_IF(is_below(path), 0, 1)
    return REAL(unlink)(path);
}
int unlinkat(int folder, const char *path, int flags) {
    FAIL_IF(is_below(path), 0, 1)
    return REAL(unlinkat)(folder, path, flags);
}
int mkdir(const char *path, mode_t mode) {
    FAIL_IF(is_below(path), 1, 1)
    return REAL(mkdir)(path, mode);
}

static int creates(int flags, const char *path) {
    return (flags & O_CREAT) && path && access(path, F_OK);
}

#define OPENER(name, parameters, flags_last, path, call)      \
    int name parameters {                                     \
        va_list rest;                                         \
        va_start(rest, flags_last);                           \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                         \
        FAIL_IF(creates(flags, path) && is_below(path), 1, 1) \
        return REAL(name) call;                               \
    }

OPENER(open, (const char *path, int flags, ...), flags, path, (path, flags, mode))
OPENER(open64, (const char *path, int flags, ...), flags, path, (path, flags, mode))
OPENER(openat, (int folder, const char *path, int flags, ...), flags, path,
       (folder, path, flags, mode))
OPENER(openat64, (int folder, const char *path, int flags, ...), flags, path,
       (folder, path, flags, mode))
