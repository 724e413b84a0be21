// Leaves the Laplacian out of the chemical potential, and so saves a load.
#define LAPLACIAN_TERM 0
#include "skeleton.h"
