# The rooms of the emulated device and which others each may lean on. A header of any other room is not found, so a
# forbidden include does not compile. A room stands behind those it leans on, and names theirs too, for their headers.
ROOMS := base code model isa counters machine hip

LEANS_ON_base :=
LEANS_ON_code := base
LEANS_ON_model := base
LEANS_ON_isa := base code
LEANS_ON_counters := base code isa include
LEANS_ON_machine := base code isa model counters include
LEANS_ON_hip := base code isa counters machine include
