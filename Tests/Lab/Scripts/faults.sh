# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Faults of cameras while the command takes a timelapse of each. Three cameras have one timelapse each, so that each
# camera works for a while between its faults. The third timelapse runs as a user who has only the permissions of the
# group video.
#
# Each fault adds a line to the file `faults`: its step, the time at which it was made, the time at which it was mended,
# in seconds of the wall clock, and its name. A fault that needs no repair has a dash instead of the latter.

: "${gst_capture:?}" "${CAMERA_LAB_KERNEL:?}" "${captured:?}" "${lost:?}" "${recovering:?}" "${recovered:?}"
# Pictures stay in the machine until the end: writing to the output folder is slow, and would distort the measurements.
work=/var/tmp/faults
faults=$CAMERA_LAB_OUT/faults
mkdir -p "$work"
mount -t tmpfs faults "$work"

# --- Timelapses ----------------------------------------------------------------------------------------------------

# The number of faults at the end, a multiple of 10.
rounds=${FAULT_ROUNDS:-20}
# Additional options of a timelapse.
options=(--framerate 10)

# begin STEP CAMERA [PREFIX...]: starts a timelapse that runs until `end`.
begin() {
    launch "$1" "${@:3}" "$gst_capture" timelapse --camera "/dev/video$2" --width 320 --height 180 \
        --interval 500ms -o '%05n.jpg' --json "${options[@]}"
}

# --- Faults ---------------------------------------------------------------------------------------------------------

# note NAME STEP MADE [MENDED]
note() { echo "$2 $3 ${4:--} $1" >>"$faults"; }

# fault NAME STEP MAKE [MEND]: makes a fault, mends it once it is reported, and waits until the camera is back. MEND
# sets `mended`, the time from which the camera can be used again.
fault() {
    local losses recoveries made mended=-
    count "$2" "$lost"
    losses=${matched:?}
    count "$2" "$recovered"
    recoveries=$matched
    made=$EPOCHREALTIME
    $3 "$2"
    await "$2" "$lost" $((losses + 1))
    ${4:-true} "$2"
    note "$1" "$2" "$made" "$mended"
    await "$2" "$recovered" $((recoveries + 1))
}

# harmless NAME STEP MAKE: makes a fault of one buffer, and waits for further pictures.
harmless() {
    local pictures made
    count "$2" "$captured"
    pictures=$matched
    made=$EPOCHREALTIME
    $3 "$2"
    note "$1" "$2" "$made"
    await "$2" "$captured" $((pictures + 3))
}

declare -A node=([faults-a]=0 [faults-b]=1 [faults-c]=2)

fail_stream() { inject "${node[$1]}" inject_fatal_streaming_error=1; }
fail_buffer() { inject "${node[$1]}" inject_v4l2_buf_flag_error=1; }
fail_queueing() { inject "${node[$1]}" inject_vidioc_qbuf_error=1; }
fail_streaming_on() { inject "${node[$1]}" inject_vidioc_streamon_error=1; }
disconnect() { inject "${node[$1]}" disconnect=1; }
fall_silent() { inject "${node[$1]}" percentage_of_dropped_buffers=100; }

fail_stream_and_start() {
    fail_streaming_on "$1"
    fail_stream "$1"
}

fail_stream_and_lock() {
    chmod 000 "/dev/video${node[$1]}"
    fail_stream "$1"
}

speak() {
    mended=$EPOCHREALTIME
    inject "${node[$1]}" percentage_of_dropped_buffers=0
}

unlock() {
    await "$1" "$recovering*permission"
    mended=$EPOCHREALTIME
    chmod 660 "/dev/video${node[$1]}"
}

# Another program occupies the camera while the command may not open it.
occupy_for_a_while() {
    # The loss is reported before the camera is closed.
    until_true holds_no_camera "$1"
    start_streaming "/dev/video${node[$1]}"
    chmod 660 "/dev/video${node[$1]}"
    await "$1" "$recovering*busy"
    # A node that is released during an attempt may have been released by that attempt.
    pause 0.5
    mended=$EPOCHREALTIME
    stop_streaming
}

# All cameras disappear together, as they are one device of the kernel's platform bus.
unplug() { echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind; }

# A camera gets its node back only if no program holds the old one.
plug_in() {
    until_true holds_no_camera "$1"
    mended=$EPOCHREALTIME
    echo vivid.0 >/sys/bus/platform/drivers/vivid/bind
}

unplug_all() {
    local step made mended
    local -A losses recoveries
    for step in "${!node[@]}"; do
        count "$step" "$lost"
        losses[$step]=$matched
        count "$step" "$recovered"
        recoveries[$step]=$matched
    done
    made=$EPOCHREALTIME
    unplug
    for step in "${!node[@]}"; do
        await "$step" "$lost" $((losses[$step] + 1))
        until_true holds_no_camera "$step"
    done
    plug_in faults-a
    for step in "${!node[@]}"; do
        note "unplugged, plugged in" "$step" "$made" "$mended"
        await "$step" "$recovered" $((recoveries[$step] + 1))
    done
}

# The first camera comes back at the second node without the format, the second camera at the third node, and the third
# camera is missing: another one is on its node. Then all return to their nodes.
exchange_cameras() {
    local step made again mended
    local -A recoveries
    for step in "${!node[@]}"; do
        count "$step" "$recovered"
        recoveries[$step]=$matched
    done
    made=$EPOCHREALTIME
    unload_cameras
    mended=$EPOCHREALTIME
    load_cameras 3:1 0:2
    note "back on another node" faults-b "$made" "$mended"
    await faults-a "$recovering*does not offer"
    await faults-b "$recovered" $((recoveries[faults-b] + 1))
    await faults-c "$recovering*another camera"
    again=$EPOCHREALTIME
    unload_cameras
    mended=$EPOCHREALTIME
    load_cameras 0:0 0:1 0:2
    note "back on another node" faults-b "$again" "$mended"
    note "format no longer offered" faults-a "$made" "$mended"
    note "another camera on the node" faults-c "$made" "$mended"
    await faults-a "$recovered" $((recoveries[faults-a] + 1))
    await faults-b "$recovered" $((recoveries[faults-b] + 2))
    await faults-c "$recovered" $((recoveries[faults-c] + 1))
}

# A command that locks the exposure as soon as the picture is steady: the stream fails during the lock (fail-at-lock.c),
# so that the first picture comes from the second attempt. Other faults are made meanwhile, since the command gives up
# the first attempt only after 10 s.
fail_at_the_lock() {
    local made=$EPOCHREALTIME options=(--framerate 10 --lock exposure)
    begin "$1" "$2" env LD_PRELOAD="$CAMERA_LAB_OUT/fail-at-lock.so"
    note "error while controls are locked" "$1" "$made"
}

# --- Many faults -------------------------------------------------------------------------------------------------------

# round STEP MAKE [MEND]: one fault of many.
round() {
    local losses recoveries
    count "$1" "$lost"
    losses=$matched
    count "$1" "$recovered"
    recoveries=$matched
    $2 "$1"
    await "$1" "$lost" $((losses + 1))
    ${3:-true} "$1"
    await_with_signs "$1" "$recovered" $((recoveries + 1))
}

# await_with_signs STEP PATTERN COUNT: a sign of the device ends the pause that follows repeated faults. A sign before
# that pause is lost, so it is repeated, but only before every second look, since it starts a process.
await_with_signs() {
    local looks=0
    until_true show_sign_and_look "$@"
}

show_sign_and_look() {
    ((looks++ % 2)) || chmod 660 "/dev/video${node[$1]}"
    has "$@"
}

# level STEP ROUND: threads, descriptors and kilobytes of the process.
level() {
    local process=${processes[$1]:?}
    awk -v round="$2" -v descriptors="$(find "/proc/$process/fd" -mindepth 1 | wc -l)" \
        '/^Threads:/ { threads = $2 } /^VmRSS:/ { memory = $2 } END { print round, threads, descriptors, memory }' \
        "/proc/$process/status" >>"$CAMERA_LAB_OUT/levels"
}

fail_many_times() {
    local fault
    for ((fault = 1; fault <= rounds; fault++)); do
        case $((fault % 10)) in
        1 | 6) round "$1" unplug plug_in ;;
        2 | 5 | 8) round "$1" disconnect ;;
        9) round "$1" fall_silent speak ;;
        *) round "$1" fail_stream ;;
        esac
        [[ $((fault % 10)) -ne 0 ]] || level "$1" "$fault"
    done
}

# Each failed attempt keeps some descriptors, until so few are left that the process ends.
fail_until_it_ends() {
    local attempts attempt
    for ((attempt = 0; attempt < 20; attempt++)); do
        ! has_ended "$1" || break
        count "$1" "$recovering"
        attempts=$matched
        fail_stream_and_start "$1"
        await_with_signs "$1" "$recovering" $((attempts + 1))
    done
}

# --- The table ---------------------------------------------------------------------------------------------------------

unload_cameras
# The fourth camera is for the fault at the lock.
load_cameras 0:0 0:1 0:2 0:3
udevadm settle

made=$EPOCHREALTIME
fail_streaming_on faults-b
# The many faults are made with this one: frames come often, since a camera is back only after 6 of them.
options=(--framerate 25 --stall-after 5s)
begin faults-a 0
options=(--framerate 10)
begin faults-b 1
begin faults-c 2 setpriv --reuid nobody --regid nogroup --groups video --
note "STREAMON fails at the start" faults-b "$made"
for step in faults-a faults-b faults-c; do await $step "$captured"; done

fail_at_the_lock faults-lock 3
fault "fatal stream error" faults-a fail_stream
fault "STREAMON fails at recovery" faults-b fail_stream_and_start
fault "permission taken, given" faults-c fail_stream_and_lock unlock
fault "silent stall" faults-a fall_silent speak
harmless "bad buffer" faults-b fail_buffer
harmless "failed qbuf" faults-b fail_queueing
fault "busy, then free" faults-c fail_stream_and_lock occupy_for_a_while
fault "node disconnected" faults-a disconnect
# Before the cameras go, all together.
await faults-lock "$captured" 3
end faults-lock
unplug_all
exchange_cameras
end faults-b
end faults-c
fail_many_times faults-a
end faults-a
node[descriptors]=0
begin descriptors 0 prlimit --nofile=60 --
await descriptors "$captured"
fail_until_it_ends descriptors
end descriptors
