// Times on a real device: the kernel and the device's own copy take turns, so that what slows one
// down slows the other down, and the kernel's bandwidth is known as a share of the copy's.
//
// In:  a launch whose input is in place, the bytes that it cannot avoid to move.
// Out: a Paired (timing.h); f as the last launch left it.
#ifndef PAIRED_H
#define PAIRED_H

#include "family.h"
#include "timing.h"

// Before each time the output is renewed and a buffer of twice L2's size is filled, so that nothing
// of the arrays is in a cache. Warms up until times stay the same, then makes pairs: so many, or,
// for 0, until the share is certain to 1 %, at most MOST_PAIRS.
#define MOST_PAIRS 200
Paired paired_times(const Launch *launch, double bytes, int pairs);

#endif
