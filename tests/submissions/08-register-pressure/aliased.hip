// Promises with restrict what is not true: f_s_in is f_s, stored to before it is read.
#include "lab.h"

#include <hip/hip_runtime.h>

#define MORE_PARAMETERS , const double *__restrict__ f_s_in
#define MORE_ARGUMENTS , a->f_s
#define EARLY                                                                                      \
  ASSIGN_F_REST;                                                                                   \
  f_s[here] = keep_f * f_s[here]
#define LATE
#define F_S f_s[here] = f_s_in[here] + spread - drift * uy
#include "skeleton.h"
