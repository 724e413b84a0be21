// Memory traffic that a kernel cannot avoid, and the effective bandwidth that follows from a time.
// Each family (families/family.h) says how much traffic that is.
#ifndef BANDWIDTH_H
#define BANDWIDTH_H

typedef struct {
  double fetch_bytes, write_bytes;
} Traffic;

// Effective memory bandwidth, the labs' figure of merit (FOM): theoretical traffic / kernel time,
// GB/s.
double bandwidth_effective_gbs(Traffic traffic, double kernel_ms);

#endif
