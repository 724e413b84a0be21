// The table of families: a row for each name that a lab's file can give.
#ifndef FAMILIES_H
#define FAMILIES_H

#include "family.h"

extern const Family FAMILIES[]; // by FamilyName

const Family *families_find(const char *name); // NULL: there is none

#endif
