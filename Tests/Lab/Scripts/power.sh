#!/bin/bash
# Part of gst-capture. Apache License 2.0, see LICENSE.
#
# power.sh COMMAND, inside the lab: runs a series on a disk that loses unsynced writes, cuts the power repeatedly at
# random moments without an event, and resumes the series each time. Events from before a cut are copied to a safe
# place. Then it records clips, and cuts the power in each.

set -uo pipefail
# shellcheck source=Tests/Lab/Scripts/steps.sh
source "$(dirname "$0")/steps.sh"

gst_capture=$1
power=/mnt/power
cuts=${POWER_CUTS:-5}
clip_cuts=$(((cuts + 1) / 2))

# Sets up device mapper's flaky target, which can silently drop writes, over a file in memory.
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
    mount_power
}

# ext4 commits only when fsync(2) asks for it: a cut can take longer than the usual five seconds.
mount_power() { mount -o commit=600 /dev/mapper/flaky $power; }

good_disk() { echo "0 $sectors linear $loop 0"; }
losing_disk() { echo "0 $sectors flakey $loop 0 0 180 1 drop_writes"; }

# Does not freeze the file system, which would flush all pending writes.
use_disk() {
    dmsetup suspend --nolockfs --noudevsync flaky
    dmsetup load flaky --table "$1"
    dmsetup resume --noudevsync flaky
}

# Events after the cut may be wrong, as writes are dropped: earlier events are copied while the program is stopped.
cut_power() {
    local pid=$1
    kill -STOP "$pid"
    cat told >>acknowledged
    # Shows later that the disk really loses unsynced writes.
    echo unsynced >$power/unsynced
    use_disk "$(losing_disk)"
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    umount $power
    use_disk "$(good_disk)"
    mount_power
    [[ -s $power/unsynced ]] || echo lost >>unsynced
}

# Begins or resumes the series, and returns once there is a picture.
go_on() {
    : >told
    "$gst_capture" timelapse --camera scene --width 160 --height 120 --interval 50ms -o "$power/%05n.jpg" --resume \
        --json >told &
    until has_picture; do pause 0.1; done
}

has_picture() {
    local events
    mapfile -t events <told
    [[ ${events[*]} == *"${captured:?}"* ]]
}

# Collects the reported pictures and the state of the ledger.
power_cuts() {
    local cut
    : >acknowledged
    : >unsynced
    for ((cut = 0; cut < cuts; cut++)); do
        go_on
        pause "$((RANDOM % 2)).$((RANDOM % 10))"
        cut_power $!
    done
    # The resumed series accounts for the slot in hand at the last cut.
    go_on
    kill -USR2 $!
    wait $!
    cat told >>acknowledged
    "$gst_capture" ledger $power --json >ledger.json
    "$gst_capture" ledger $power --verify >verdict
    echo $? >verified
    sed -n 's/.*"event":"captured".*"file":"\([^"]*\)".*/\1/p' acknowledged >told-files
    sed -n 's/.*"file":"\([^"]*\)".*/\1/p' ledger.json >ledger-files
    jpeginfo --check -- $power/*.jpg >damaged && : >damaged
}

# Records a clip for each cut, and repairs it. `clips` gets a line for each: the hundredths of a second from the first
# picture to the cut, the milliseconds that the file has, and the status of the repair.
cut_clips() {
    local cut began ended status
    for ((cut = 1; cut <= clip_cuts; cut++)); do
        : >told
        "$gst_capture" record --camera scene --width 160 --height 120 --framerate 10 -o "$power/clip-$cut.mp4" --json \
            >told &
        until grep -q '"event":"began"' told; do pause 0.1; done
        now began
        pause "$((2 + RANDOM % 4)).$((RANDOM % 10))"
        now ended
        cut_power $!
        "$gst_capture" record --check "$power/clip-$cut.mp4" --json >check
        status=$?
        echo "$((ended - began)) $(sed -n 's/.*"duration_ms":\([0-9]*\).*/\1/p' check) $status" >>clips
    done
}

# Releases the disk, so that what the kernel keeps of it does not disturb later steps.
remove_power() {
    umount $power
    dmsetup remove --noudevsync flaky
    losetup --detach "$loop"
    rm /dev/shm/disk
}

prepare_power
power_cuts
cut_clips
remove_power
