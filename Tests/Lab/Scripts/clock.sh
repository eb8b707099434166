# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# clock.sh COMMAND, inside a lab that can be suspended: series go on while the wall clock is set and the machine sleeps.
#
# What came of each change is in the file `changes`: its name and its status.

scripts=$(dirname "$0")
gst_capture=$1
# Few plugins are here: they are looked at in the process itself.
export GST_REGISTRY=/tmp/registry.bin GST_REGISTRY_FORK=no G_DEBUG=fatal-criticals
work=/tmp/clocks
series=(clocks-plain clocks-aligned)

# shellcheck source=Tests/Lab/Scripts/steps.sh
source "$scripts/steps.sh"

# begin STEP [OPTION...]
begin() { launch "$1" "$gst_capture" timelapse --camera scene --width 160 --height 120 --framerate 10 --json "${@:2}"; }

# Waits until each series has taken two more pictures.
await_pictures() {
    local step
    local -A pictures
    for step in "${series[@]}"; do pictures[$step]=$(count "$step" "$captured"); done
    for step in "${series[@]}"; do await "$step" "$captured" $((pictures[$step] + 2)); done
}

# set_clock SECONDS: by how much.
set_clock() { date --set="@$(awk -v now="$EPOCHREALTIME" -v step="$1" 'BEGIN { printf "%.6f", now + step }')" >/dev/null; }

# The clock of the board wakes the machine after so many seconds (S3: the memory is kept, and nothing else).
suspend() {
    echo 0 >/sys/class/rtc/rtc0/wakealarm
    echo "+$1" >/sys/class/rtc/rtc0/wakealarm
    echo deep >/sys/power/mem_sleep
    echo mem >/sys/power/state
}

# change NAME COMMAND...: makes a change, and waits until pictures were taken after it.
change() {
    "${@:2}"
    echo "$1 $?" >>"$CAMERA_LAB_OUT/changes"
    await_pictures
}

begin clocks-plain --interval 1s -o '%05n.jpg'
begin clocks-aligned --interval 1s --align -o '%H%M%S.jpg'
for step in "${series[@]}"; do await "$step" "$captured" 2; done
change forward set_clock 90.4
# Further back: the clock shows the same seconds again.
change back set_clock -93.1
change suspended suspend 4
for step in "${series[@]}"; do end "$step"; done
