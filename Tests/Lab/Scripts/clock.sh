# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# clock.sh COMMAND, inside a lab that can be suspended: runs series while the wall clock is set and the machine is
# suspended.
#
# The file `changes` lists each change: its name, its exit status and its size in seconds.

scripts=$(dirname "$0")
gst_capture=$1
# There are few plugins here: the process scans them itself.
export GST_REGISTRY=/tmp/registry.bin GST_REGISTRY_FORK=no G_DEBUG=fatal-criticals
# In this machine the next frame can take seconds.
export GST_CAPTURE_STALL_AFTER=60s
work=/tmp/clocks
series=(clocks-plain clocks-aligned)

# shellcheck source=Tests/Lab/Scripts/steps.sh
source "$scripts/steps.sh"
now machine_began

# begin STEP [OPTION...]
begin() { launch "$1" "$gst_capture" timelapse --camera scene --width 160 --height 120 --framerate 10 --json "${@:2}"; }

# set_clock SECONDS: moves the wall clock by exactly this much, in one system call (adjtimex, ADJ_SETOFFSET | ADJ_NANO).
# To read the clock and then set it would lose the time between the two calls on a busy machine.
set_clock() {
    perl -e '
        my $seconds = int($ARGV[0]) - ($ARGV[0] < 0);
        my $nanoseconds = int(($ARGV[0] - $seconds) * 1e9 + 0.5);
        my $timex = pack "L x4 q4 l x4 q3 q2 x120", 0x2100, (0) x 8, $seconds, $nanoseconds;
        exit(syscall(159, $timex) < 0);
    ' -- "$1"
    size=$1
}

# suspended_time: seconds for which the machine was suspended since it booted (CLOCK_BOOTTIME - CLOCK_MONOTONIC).
suspended_time() {
    perl -e '
        my ($boot, $monotonic) = (pack("q2"), pack("q2"));
        syscall(228, 7, $boot); syscall(228, 1, $monotonic);
        my ($bs, $bn, $ms, $mn) = (unpack("q2", $boot), unpack("q2", $monotonic));
        printf "%.3f\n", $bs - $ms + ($bn - $mn) / 1e9;
    '
}

# suspend SECONDS: suspends the machine; the board's clock wakes it (S3: only the memory is kept). If the alarm rings
# before the machine sleeps, nothing wakes it.
suspend() {
    local before
    before=$(suspended_time)
    echo 0 >/sys/class/rtc/rtc0/wakealarm
    echo "+$1" >/sys/class/rtc/rtc0/wakealarm
    echo deep >/sys/power/mem_sleep
    echo mem >/sys/power/state
    size=$(awk -v before="$before" -v after="$(suspended_time)" 'BEGIN { print after - before }')
}

# change NAME COMMAND...: makes a change, records its status and size, and waits for further pictures. Sets `size`.
change() {
    "${@:2}"
    echo "$1 $? $size" >>"$CAMERA_LAB_OUT/changes"
    await_more 2 "${series[@]}"
}

begin clocks-plain --interval 1s -o '%05n.jpg'
begin clocks-aligned --interval 1s --align -o '%H%M%S.jpg'
for step in "${series[@]}"; do await "$step" "$captured" 2; done
change forward set_clock 90.4
# Further back than forward: the clock shows some seconds a second time.
change back set_clock -93.1
# The alarm is set before the machine is suspended, which takes some of these seconds, above all on a busy machine.
change suspended suspend 30
for step in "${series[@]}"; do end "$step"; done
finish_records
print_part "${machine_began:?}" clocks
