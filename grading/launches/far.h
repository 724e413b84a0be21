// A grid whose elements no 32-bit number counts, in little memory: of its planes only the first rows
// are there, at the distance that they have, and only the blocks of these rows are launched. An
// index that overflows leads to where nothing is.
//
// In:  the list of launches for such a grid of the Laplacian family; a function that makes one.
// Out: FAR_RIGHT; FAR_WRONG, with a sentence on stderr; FAR_UNKNOWN where the launches are not of the
//      kind of which a part can be made: one, whose blocks cover the grid in three dimensions. A
//      kernel that leaves the planes ends the program with its fault.
#ifndef FAR_H
#define FAR_H

#include "family.h"
#include "launch_list.h"

typedef enum { FAR_RIGHT, FAR_WRONG, FAR_UNKNOWN } FarVerdict;

// rows: that a thread computes along y. play launches the entry on the arrays of the Launch.
FarVerdict far_check(Entries *entries, const Grid *grid, int rows,
                     bool (*play)(const Entry *entry, const Launch *launch));

#endif
