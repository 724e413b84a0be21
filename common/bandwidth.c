// Effective bandwidth. See bandwidth.h.
#include "bandwidth.h"

double bandwidth_effective_gbs(Traffic traffic, double kernel_ms) {
  return (traffic.fetch_bytes + traffic.write_bytes) / (kernel_ms * 1e6);
}
