#!/bin/sh
# Shows a lab's hints one stage at a time.
#
# In:  hint.sh LAB-NAME [N]; the stages are the "## Hint N" sections of labs/LAB-NAME/hints.md
# Out: the next stage, remembered in $HINT_STATE (build/hints); with N that stage, nothing remembered
lab=$1 asked=$2
hints=labs/$lab/hints.md
state=${HINT_STATE:-build/hints}
seen_file=$state/$lab
last=$(grep -c '^## Hint ' "$hints")

seen=$(cat "$seen_file" 2>/dev/null || echo 0)
stage=${asked:-$((seen < last ? seen + 1 : last))}
case $stage in
'' | *[!0-9]*) stage=0 ;;
esac
if [ "$stage" -lt 1 ] || [ "$stage" -gt "$last" ]; then
  echo "HINT=$asked: lab $lab has hints 1 to $last" >&2
  exit 1
fi
if [ -z "$asked" ]; then
  mkdir -p "$state"
  echo "$stage" >"$seen_file"
fi
awk -v stage="$stage" '/^## Hint /{show = $3 == stage} show' "$hints"
if [ "$stage" -eq "$last" ]; then
  echo "(hint $stage of $last, the last one)"
else
  echo "(hint $stage of $last)"
fi
