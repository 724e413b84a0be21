#!/bin/bash
# Gradescope runs this once, as root, when the autograder is uploaded: a zip of setup.sh, run_autograder and the course's
# repository as the folder labs-repository.
#
# In:  /autograder/source, the zip's content. Out: what is needed to build and grade, and everything built.
set -e
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make git
cd /autograder/source/labs-repository
make setup
make check LAB=01 || true # builds the emulated device; the starter itself does not pass
