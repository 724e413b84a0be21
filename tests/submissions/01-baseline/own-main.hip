// Takes the program over from the first instruction on.
#include "skeleton.h"
int main() { return 0; }
