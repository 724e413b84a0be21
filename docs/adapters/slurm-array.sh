#!/bin/bash
#SBATCH --job-name=grade
#SBATCH --array=1-10
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --output=grade-%a.log
# Grades one class with ten jobs that share the work: each does what has no result yet.
#
# In:  SUBMISSIONS and whatever else make grade takes, in the environment; submitted from the root of the repository, which
#      all nodes see, after one "make grade" or "make check" there has built it:
#          SUBMISSIONS=$HOME/handed-in ROSTER=$HOME/class.csv sbatch docs/adapters/slurm-array.sh
# Out: what make grade writes. The same command again does what is left.
exec make --no-print-directory grade
