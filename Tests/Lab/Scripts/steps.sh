# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# What the scripts of the lab share.

# step NAME COMMAND [ARGUMENT...]: runs the command in a folder of its own, and records there what came of it.
step() {
    local folder=$CAMERA_LAB_OUT/$1 status=0 began=$EPOCHREALTIME
    mkdir -p "$folder"
    (cd "$folder" && exec timeout --kill-after=5 90 "${@:2}" >stdout 2>stderr </dev/null) || status=$?
    echo "$status" >"$folder/status"
    awk -v name="$1" -v status="$status" -v began="$began" -v ended="$EPOCHREALTIME" \
        'BEGIN { printf "lab: %-22s exit %3d after %4.1f s\n", name, status, ended - began }'
}

# The value of a key in the first JSON object of a step's standard output whose "path" is the given one.
json_value() {
    perl -MJSON::PP -ne '
        BEGIN { ($key, $path) = splice @ARGV, 0, 2 }
        my $object = eval { decode_json $_ } or next;
        if (($object->{path} // "") eq $path) { print $object->{$key}; exit }
    ' "$2" "$3" "$CAMERA_LAB_OUT/$1/stdout"
}

# Starts a program that streams from a camera, and returns once frames come. Sets `streamer`.
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
