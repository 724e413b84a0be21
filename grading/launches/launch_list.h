// The list of launches: what a learner's launcher asks for, and all that a grade takes from it.
//
// record writes it where the learner's code runs, replay reads it where that code is not. A line is
// one of
//
//   kernel NAME            of the Lab's entry                rows N       points along y a thread
//   block X Y Z            what the launcher was given       window N     likewise, points along z
//   layout LD OFFSET       elements (grid.h)
//   check N                the lines behind it are of this check's input (family.h)
//   launch SYMBOL GX GY GZ BX BY BZ LDS BYTES    blocks, threads, dynamic LDS in bytes, arguments
//   set SYMBOL OFFSET BYTES                      hipMemcpyToSymbol
//   refused CALL           a HIP call that no launcher may make
//   end                    the launcher came back, each time
//
// BYTES are in hexadecimal, "-" for none. The launcher gets no real pointers: FAKE_U and FAKE_F
// stand for element 0 of the arrays u and f. No number that a kernel takes looks like them: as a
// double each is a signalling NaN. Arrays reach half of 2^40 bytes to either side.
#ifndef LAUNCH_LIST_H
#define LAUNCH_LIST_H

#include "facts.h"
#include "family.h"

#include <stdio.h>

#define FAKE_BITS 40
#define FAKE_U ((UINT64_C(0x7ff4c5) << FAKE_BITS) + (UINT64_C(1) << (FAKE_BITS - 1)))
#define FAKE_F ((UINT64_C(0x7ff4c6) << FAKE_BITS) + (UINT64_C(1) << (FAKE_BITS - 1)))

typedef struct {
  const KernelFacts *kernel; // NULL: sets the variable
  char *variable;
  size_t offset; // in the variable, bytes
  unsigned grid[3], block[3], lds;
  unsigned char *bytes; // arguments, or what the variable is set to
  size_t size;
} Entry;

typedef struct {
  Entry *entries;
  size_t count;
} Entries;

typedef struct {
  char *kernel;
  int rows, window;
  unsigned block[3];
  size_t ld, offset;
  Entries checks[CHECKS];
} LaunchList;

// The next list of the file. Checks every line against the facts. Ends the program with KERNEL_FAULT
// and a sentence for a list that is not whole, names a kernel that there is not, or holds arguments
// that do not fit it.
LaunchList launch_list_read(FILE *in, const Facts *facts);
void launch_list_free(LaunchList *list);

#endif
