# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Functions that the scripts of the lab share.

# The timeout of each wait, in seconds of the machine's clock. Nothing but a hang takes so long.
patience=300

# A pipe into which nothing is written: to read from it waits, and starts no process.
exec {silence}<> <(:)

# pause SECONDS
pause() { read -r -t "$1" -u "$silence" || true; }

# now NAME: sets the variable to the hundredths of a second since the machine started, as its wall clock may be set.
now() {
    local up
    read -r up </proc/uptime
    up=${up%% *}
    printf -v "$1" '%d' "$((10#${up/./}))"
}

# print_seconds BEGAN TEXT: prints a text, and the seconds since then.
print_seconds() {
    local ended
    now ended
    printf 'lab: %s after %d.%d s\n' "$2" $(((ended - $1) / 100)) $(((ended - $1) / 10 % 10))
}

# print_result BEGAN STEP STATUS
print_result() {
    local text
    printf -v text '%-22s exit %3d' "$2" "$3"
    print_seconds "$1" "$text"
}

# print_part BEGAN NAME
print_part() {
    local text
    printf -v text '%-22s all steps' "$2"
    print_seconds "$1" "$text"
}

# step NAME COMMAND [ARGUMENT...]: runs the command in a separate folder, for `time_limit` seconds at most (900), and
# records the result there.
step() {
    local folder=$CAMERA_LAB_OUT/$1 status=0 began
    now began
    mkdir -p "$folder"
    (cd "$folder" && exec timeout --kill-after=5 "${time_limit:-900}" "${@:2}" >stdout 2>stderr </dev/null) || status=$?
    echo "$status" >"$folder/status"
    print_result "$began" "$1" "$status"
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

# --- Programs in the background -------------------------------------------------------------------------------------

# The process of each step, and when it began.
declare -A processes beginnings
# The processes that copy and check results.
recorders=()
# shellcheck disable=SC2034 # Scripts that source this one use them.
captured='"event":"captured"' lost='"event":"lost"' recovering='"event":"recovering"' recovered='"event":"recovered"'

# launch STEP COMMAND [ARGUMENT...]: starts a program that runs until `end` or `part`, in a separate folder below `work`,
# which any user may write to.
launch() {
    local folder=${work:?}/$1
    mkdir -p "$folder"
    chmod a+rwx "$folder"
    (cd "$folder" && exec "${@:2}" >stdout 2>stderr </dev/null {silence}<&-) &
    started "$1" $!
}

# started STEP PROCESS: the events of an earlier program of this step no longer count.
started() {
    local key
    processes[$1]=$2
    now "beginnings[$1]"
    for key in "${!lines_read[@]}"; do
        [[ $key != "$1 "* ]] || unset -v 'lines_read[$key]' 'matches[$key]' 'latest[$key]'
    done
}

# end STEP: finishes a timelapse if it still runs, and records the result and its ledger.
end() {
    local status
    # Unlike SIGTERM, it does not give up pictures that are still being encoded after some seconds.
    kill -USR2 "${processes[$1]}" 2>/dev/null
    finish "$1"
    record_series "$1" &
    recorders+=($!)
}

# part STEP: waits for the end of a program, and records the result.
part() {
    local status
    finish "$1"
    record "$1" &
    recorders+=($!)
}

# finish STEP: waits for a limited time until the program has ended. Sets `status`.
finish() {
    until_true has_ended "$1" || kill -KILL "${processes[$1]}"
    status=0
    wait "${processes[$1]}" || status=$?
    echo "$status" >"$work/$1/status"
    print_result "${beginnings[$1]}" "$1" "$status"
}

record() { cp -r "$work/$1" "$CAMERA_LAB_OUT/$1"; }

record_series() {
    record "$1"
    step "$1-ledger" "${gst_capture:?}" ledger "$work/$1" --json --limit 0
    step "$1-verify" "$gst_capture" ledger "$work/$1" --verify
}

# Waits until all results are recorded, in the shell that called `end` and `part`. Other programs may go on.
finish_records() {
    [[ ${#recorders[@]} -eq 0 ]] || wait "${recorders[@]}"
    recorders=()
}

# has_ended STEP: succeeds if the program has ended, even if this shell has not noticed it yet: bash may forget a child
# that ends at the wrong moment until another one ends.
has_ended() {
    local state
    { read -r state <"/proc/${processes[$1]:?}/stat"; } 2>/dev/null || return 0
    [[ ${state##*) } == Z* ]]
}

# holds_no_camera STEP: succeeds if the program has closed all cameras.
holds_no_camera() { [[ ! $(find "/proc/${processes[$1]:?}/fd" -lname '/dev/video*' -print -quit) ]]; }

# --- Events -----------------------------------------------------------------------------------------------------------
# In this emulated machine a process costs as much as thousands of lines of the shell: events are read without one.

# For each step and pattern: how many lines were read, how many of them match, and the last one that does.
declare -A lines_read matches latest

# await STEP PATTERN [COUNT]: waits until this many events match the glob in total, or the program has ended, as it emits
# no more events. Sets `matched` to their number.
await() {
    local key="$1 $2" limit=$((SECONDS + patience)) ended='' unfinished='' events skipped line lines
    matched=${matches[$key]:-0} skipped=${lines_read[$key]:-0}
    until_true has_output "$1"
    exec {events}<"$work/$1/stdout" || return
    while :; do
        # Before the events are read, so that the last ones are read, too.
        ! has_ended "$1" || ended=yes
        mapfile -s "$skipped" -u "$events" lines
        skipped=0
        for line in "${lines[@]}"; do
            unfinished+=$line
            # The program has not written the end of this line yet.
            [[ $line == *$'\n' ]] || break
            if [[ $unfinished == *$2* ]]; then
                matches[$key]=$((++matched))
                # shellcheck disable=SC2034 # sessions.sh uses it.
                latest[$key]=$unfinished
            fi
            lines_read[$key]=$((${lines_read[$key]:-0} + 1))
            unfinished=''
        done
        [[ ! $ended && $matched -lt ${3:-1} && $SECONDS -lt $limit ]] || break
        pause 0.1
    done
    exec {events}<&-
}

has_output() { [[ -e $work/$1/stdout ]] || has_ended "$1"; }

# count STEP PATTERN: sets `matched` to the number of events until now that match.
count() { await "$1" "$2" 0; }

# has STEP PATTERN COUNT: succeeds for a process that has ended, too.
has() {
    local ended=''
    ! has_ended "$1" || ended=yes
    count "$1" "$2"
    [[ $ended ]] || ((matched >= $3))
}

# await_more COUNT STEP...: waits until each series has captured this many more pictures.
await_more() {
    local name
    local -A wanted
    for name in "${@:2}"; do
        count "$name" "$captured"
        wanted[$name]=$((matched + $1))
    done
    for name in "${@:2}"; do await "$name" "$captured" "${wanted[$name]}"; done
}

# --- The service ------------------------------------------------------------------------------------------------------

# Waits until the service answers at port 8080.
await_service() { until_true curl --silent --fail --output /dev/null http://127.0.0.1:8080/healthz; }

# get STEP URL [OPTION...]: records the body of a response.
get() { step "$1" curl --silent --show-error --max-time 120 "${@:3}" "$2"; }

# ----------------------------------------------------------------------------------------------------------------------

# Waits until a command succeeds, for `patience` seconds at most, as the tests report missing events.
until_true() {
    local limit=$((SECONDS + patience))
    until "$@" 2>/dev/null; do
        ((SECONDS < limit)) || return
        pause 0.1
    done
}
