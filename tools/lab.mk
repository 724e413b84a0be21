# Makes `make check` in labs/01-baseline what `make check LAB=01-baseline` is at the root. A lab's folder has a Makefile of one
# line that includes this, the same in each; in solutions/01-baseline it is SRC=solutions, too.
#
# In:  any target and variable of the Makefile at the root; the folder's name
# Out: what the Makefile at the root does
FOLDERS := $(subst /, ,$(CURDIR))
export LAB := $(lastword $(FOLDERS))
export SRC := $(word $(words $(wordlist 2,$(words $(FOLDERS)),$(FOLDERS))),$(FOLDERS))

# A check, and a comparison, ends with 1 for "not yet", here as at the root, whose Makefile says how.
ifneq ($(filter check diff,$(MAKECMDGOALS)),)
MAKEFLAGS += --question
endif

$(or $(MAKECMDGOALS),help): at-the-root

# cd follows the links of a workspace back, which make -C does not.
at-the-root:
	+@cd ../.. && $(MAKE) --no-print-directory $(MAKECMDGOALS)

.PHONY: $(or $(MAKECMDGOALS),help) at-the-root
