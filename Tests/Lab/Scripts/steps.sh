# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Functions that the scripts of the lab share.

# step NAME COMMAND [ARGUMENT...]: runs the command in a separate folder, and records the result there.
step() {
    local folder=$CAMERA_LAB_OUT/$1 status=0 began=$EPOCHREALTIME
    mkdir -p "$folder"
    (cd "$folder" && exec timeout --kill-after=5 90 "${@:2}" >stdout 2>stderr </dev/null) || status=$?
    echo "$status" >"$folder/status"
    awk -v name="$1" -v status="$status" -v began="$began" -v ended="$EPOCHREALTIME" \
        'BEGIN { printf "lab: %-22s exit %3d after %4.1f s\n", name, status, ended - began }'
}

# json_value STEP KEY PATH: prints the key of the first JSON object on the step's standard output whose "path" is PATH.
json_value() {
    perl -MJSON::PP -ne '
        BEGIN { ($key, $path) = splice @ARGV, 0, 2 }
        my $object = eval { decode_json $_ } or next;
        if (($object->{path} // "") eq $path) { print $object->{$key}; exit }
    ' "$2" "$3" "$CAMERA_LAB_OUT/$1/stdout"
}

# Starts a program that streams from a camera, and returns once frames arrive. Sets `streamer`.
start_streaming() {
    exec {frames}< <(exec v4l2-ctl --device "$1" --stream-mmap --verbose 2>&1)
    streamer=$!
    local line
    while read -r line <&"$frames"; do
        [[ $line != *cap\ dqbuf* ]] || return 0
    done
}

stop_streaming() {
    kill "$streamer"
    exec {frames}<&-
    wait "$streamer" 2>/dev/null || true
}

# --- Cameras --------------------------------------------------------------------------------------------------------

# Removes all cameras together with the driver.
unload_cameras() {
    [[ ! -e /sys/bus/platform/drivers/vivid/vivid.0 ]] || echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
    # Programs that have a node open close it first.
    until_true rmmod vivid
}

# load_cameras INPUT:NODE...: adds cameras with inputs of these types (0 webcam, 3 HDMI) at these nodes. HDMI cameras
# have one size, since they have no scaler.
load_cameras() {
    local camera inputs=() nodes=() scalers=() ones
    for camera; do
        inputs+=("${camera%:*}") nodes+=("${camera#*:}")
        scalers+=("$([[ ${camera%:*} -eq 0 ]] && echo -1 || echo 0)")
    done
    ones=$(comma "${inputs[@]/*/1}")
    modprobe --dirname "$CAMERA_LAB_KERNEL" vivid n_devs=$# node_types="$ones" num_inputs="$ones" \
        input_types="$(comma "${inputs[@]}")" vid_cap_nr="$(comma "${nodes[@]}")" ccs_cap_mode="$(comma "${scalers[@]}")"
}

comma() {
    local IFS=,
    echo "$*"
}

# inject CAMERA CONTROL[=VALUE]
inject() { v4l2-ctl --device "/dev/video$1" --set-ctrl "$2"; }

# --- Timelapses in the background -----------------------------------------------------------------------------------

declare -A processes
# shellcheck disable=SC2034 # Scripts that source this one use them.
captured='"event":"captured"' lost='"event":"lost"' recovering='"event":"recovering"' recovered='"event":"recovered"'

# launch STEP COMMAND [ARGUMENT...]: starts a timelapse that runs until `end`, in a separate folder below `work`, which
# any user may write to.
launch() {
    local folder=${work:?}/$1
    mkdir -p "$folder"
    chmod a+rwx "$folder"
    (cd "$folder" && exec "${@:2}" >stdout 2>stderr </dev/null) &
    processes[$1]=$!
}

# end STEP: finishes the program if it still runs, and records the result.
end() {
    local status=0
    kill -TERM "${processes[$1]}" 2>/dev/null
    timeout 20 tail --pid="${processes[$1]}" --follow /dev/null || kill -KILL "${processes[$1]}"
    wait "${processes[$1]}" || status=$?
    echo "$status" >"$work/$1/status"
    cp -r "$work/$1" "$CAMERA_LAB_OUT/$1"
    printf 'lab: %-22s exit %3d\n' "$1" "$status"
    step "$1-ledger" "${gst_capture:?}" ledger "$work/$1" --json --limit 0
    step "$1-verify" "$gst_capture" ledger "$work/$1" --verify
}

# part STEP: waits for the end of a program, and records the result.
part() {
    local status=0
    timeout 60 tail --pid="${processes[$1]}" --follow /dev/null || kill -KILL "${processes[$1]}"
    wait "${processes[$1]}" || status=$?
    echo "$status" >"$work/$1/status"
    cp -r "$work/$1" "$CAMERA_LAB_OUT/$1"
    printf 'lab: %-22s exit %3d\n' "$1" "$status"
}

# count STEP PATTERN: prints the number of matching events.
count() { grep --count -- "$2" "$work/$1/stdout" || true; }

# has STEP PATTERN COUNT: succeeds for a process that has ended, too, as it emits no more events.
has() { [[ ! -e /proc/${processes[$1]} || $(count "$1" "$2") -ge $3 ]]; }

# await STEP PATTERN [COUNT]: waits until this many events match in total.
await() { until_true has "$1" "$2" "${3:-1}"; }

# holds_no_camera STEP: succeeds if the program has closed all cameras.
holds_no_camera() { ! find "/proc/${processes[$1]:?}/fd" -lname '/dev/video*' | grep --quiet .; }

# Waits until a command succeeds, for a limited time, as the tests report missing events.
until_true() {
    local end=$((SECONDS + ${patience:-40}))
    until "$@" 2>/dev/null || ((SECONDS >= end)); do sleep 0.1; done
}
