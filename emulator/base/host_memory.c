// Host memory: see host_memory.h. Linux lists the mappings of a process in /proc/thread-self/maps, a line each: begin-end in
// hexadecimal, then its rights as "rwxp", or "rwxs" if it is shared. /proc/self has them only until main() ends by pthread_exit().
#include "host_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool host_memory_mapping(uint64_t address, HostMapping *mapping) {
  FILE *maps = fopen("/proc/thread-self/maps", "re");
  char *line = NULL, rights[5] = "";
  size_t capacity = 0;
  bool found = false;
  while (maps && !found && getline(&line, &capacity, maps) > 0)
    found =
        sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &mapping->begin, &mapping->end, rights) == 3 &&
        address >= mapping->begin && address < mapping->end;
  free(line);
  if (maps)
    fclose(maps);
  mapping->writable = rights[1] == 'w';
  mapping->shared = rights[3] == 's';
  return found && rights[0] == 'r';
}
