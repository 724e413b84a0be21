// What the host lets the process have: see host_limits.h.
#include "host_limits.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// The number behind key at the begin of a line, UINT64_MAX if there is no such file, line or
// number.
static uint64_t number_in_file(const char *path, const char *key) {
  FILE *file = fopen(path, "r");
  if (!file)
    return UINT64_MAX;
  unsigned long long number = UINT64_MAX;
  char line[128];
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), "%llu", &number) == 1)
      break;
  fclose(file);
  return number;
}

// Of a group and of those it is part of. Cuts the group's name.
static uint64_t limit_upwards(const char *mount, const char *folder, char *group,
                              const char *name) {
  uint64_t limit = UINT64_MAX;
  char path[4096];
  for (;;) {
    snprintf(path, sizeof path, "%s%s%s/%s", mount, folder, group, name);
    limit = least(limit, number_in_file(path, ""));
    char *last = strrchr(group, '/');
    if (!last)
      return limit;
    *last = 0;
  }
}

// A line is HIERARCHY:CONTROLLERS:GROUP, of version 2 with no controllers (cgroups(7)).
uint64_t host_control_group_limit(const char *listing, const char *mount) {
  FILE *file = fopen(listing, "r");
  uint64_t limit = UINT64_MAX;
  char line[2048];
  while (file && fgets(line, sizeof line, file)) {
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group)
      continue;
    *group++ = 0;
    group[strcspn(group, "\n")] = 0;
    if (!*controllers)
      limit = least(limit, limit_upwards(mount, "", group, "memory.max"));
    else if (strstr(controllers, "memory"))
      limit = least(limit, limit_upwards(mount, "/memory", group, "memory.limit_in_bytes"));
  }
  if (file)
    fclose(file);
  return limit;
}

uint64_t host_memory_left(void) {
  const uint64_t kib = number_in_file("/proc/meminfo", "MemAvailable:");
  return least(kib == UINT64_MAX ? UINT64_MAX : kib * 1024,
               host_control_group_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

uint64_t host_address_space_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
                                                                              : limit.rlim_cur;
}

uint64_t host_address_space_share(void) {
  const uint64_t limit = host_address_space_limit();
  if (limit == UINT64_MAX)
    return limit;
  const uint64_t pages = number_in_file("/proc/thread-self/statm", ""),
                 used = pages == UINT64_MAX ? 0 : pages * (uint64_t)sysconf(_SC_PAGESIZE);
  return limit > used ? (limit - used) / 2 : 0;
}
