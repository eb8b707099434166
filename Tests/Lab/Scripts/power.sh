#!/bin/bash
# Part of gst-capture. Apache License 2.0, see LICENSE.
#
# power.sh COMMAND, inside the lab. Power cuts: a series on a disk that loses all that was not synced, again and again at moments that no event marks, and
# gone on with each time. What was told before a cut is copied to where it is safe.

set -uo pipefail

gst_capture=$1
power=/mnt/power
cuts=${POWER_CUTS:-5}

# Device mapper's flaky target, which can drop writes without a word, over a file in memory.
prepare_power() {
    local kernel module
    kernel=${CAMERA_LAB_KERNEL:?}
    for module in loop dm-mod dm-flakey ext4; do modprobe --dirname "$kernel" "$module"; done
    truncate --size 64M /dev/shm/disk
    loop=$(losetup --find --show /dev/shm/disk)
    sectors=$(blockdev --getsz "$loop")
    mkfs.ext4 -q "$loop"
    dmsetup create --noudevsync flaky --table "$(good_disk)"
    dmsetup mknodes
    mkdir -p $power
    mount /dev/mapper/flaky $power
}

good_disk() { echo "0 $sectors linear $loop 0"; }
losing_disk() { echo "0 $sectors flakey $loop 0 0 180 1 drop_writes"; }

# Without a freeze of the file system, which would write all that is still in memory.
use_disk() {
    dmsetup suspend --nolockfs --noudevsync flaky
    dmsetup load flaky --table "$1"
    dmsetup resume --noudevsync flaky
}

# What the program says from here on may be wrong, as its writes are dropped: what it said is taken while it is stopped.
cut_power() {
    local pid=$1
    kill -STOP "$pid"
    cat told >>acknowledged
    # To see that the disk really loses what was not synced.
    echo unsynced >$power/unsynced
    use_disk "$(losing_disk)"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    umount $power
    use_disk "$(good_disk)"
    mount /dev/mapper/flaky $power
    [[ -s $power/unsynced ]] || echo lost >>unsynced
}

# Begins the series, or goes on with it, and returns once there is a picture.
go_on() {
    : >told
    "$gst_capture" timelapse --camera scene --width 160 --height 120 --interval 50ms -o "$power/%05n.jpg" --resume \
        --json >told &
    until grep -q '"event":"captured"' told; do sleep 0.1; done
}

# Every picture that was told is there, as it was when the ledger took it down.
power_cuts() {
    local cut
    : >acknowledged
    : >unsynced
    for ((cut = 0; cut < cuts; cut++)); do
        go_on
        sleep "$((RANDOM % 2)).$((RANDOM % 10))"
        cut_power $!
    done
    # What was in hand at the last cut is accounted for by who goes on.
    go_on
    kill -TERM $!
    wait $!
    cat told >>acknowledged
    "$gst_capture" ledger $power --json >ledger.json
    "$gst_capture" ledger $power --verify >verdict
    echo $? >verified
    sed -n 's/.*"event":"captured".*"file":"\([^"]*\)".*/\1/p' acknowledged >told-files
    sed -n 's/.*"file":"\([^"]*\)".*/\1/p' ledger.json >ledger-files
    jpeginfo --check -- $power/*.jpg >damaged && : >damaged
}

# What the kernel keeps of the disk must not be in the way of what comes after.
remove_power() {
    umount $power
    dmsetup remove --noudevsync flaky
    losetup --detach "$loop"
    rm /dev/shm/disk
}

prepare_power
power_cuts
remove_power
