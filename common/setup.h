// From a lab and a command line to what is to be run: kernel, options, grid.
#ifndef SETUP_H
#define SETUP_H

#include "family.h"
#include "lab.h"
#include "options.h"
#include "status.h"

typedef struct {
  const char *file; // source of the lab
  const Family *family;
  const Kernel *kernel;
  Options options; // complete: block and window are the kernel's where the command line has none
  Grid grid;
} Setup;

// Fills setup. False where the program ends here with *status; what was wrong is said.
bool setup_read(Setup *setup, const Lab *lab, int argc, char **argv, Status *status);

// Whether the kernel can run this grid with this block; a sentence when not. Asks the device.
bool setup_block_fits(const Setup *setup);

// The grid that the options ask for, its rows packed. False, with a sentence, when there is none.
bool setup_make_grid(Grid *grid, const Options *o, const Kernel *kernel, const Family *family);

#endif
