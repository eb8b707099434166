# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Checks both units on a board whose clock starts in 1970, as without a battery, and is set while the series run.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"

until_true are_active "${units[@]}"
await_pictures 2 "${folders[@]}"
report $? "both series run at $(date +%F), before the clock is set (systemd's own earliest time)"
before=()
for folder in "${folders[@]}"; do
    account "$folder"
    before+=("$lost")
done
processes=()
for unit in "${units[@]}"; do processes+=("$(main_process "$unit")"); done
date --set '2031-05-01 12:00:00' >/dev/null
await_pictures 3 "${folders[@]}"
report $? "both series continue after the clock was set to $(date +%F)"
for number in "${!folders[@]}"; do
    account "${folders[number]}" && ((lost == before[number]))
    report $? "the step of the clock costs no slot ($figures)"
    [[ $(main_process "${units[number]}") == "${processes[number]}" ]]
    report $? "the step of the clock restarts nothing: ${units[number]}"
done
newest=$(find "$second" -name '*.jpg' | sort | tail -1)
[[ $(date --reference="$newest" +%Y) == 2031 ]]
report $? "the newest picture has the new time"
journalctl --boot --output short-monotonic >"$out/journal"
