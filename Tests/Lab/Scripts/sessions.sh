# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Guided sessions on cameras, two at a time as the machine is slow: the avatar with a camera on each side and typed
# keys, and sessions that are shaken, lose their camera, and are killed in each of their stages.

: "${gst_capture:?}" "${scripts:?}" "${captured:?}"
work=/var/tmp/sessions
sessions=$(realpath "$scripts/../Sessions")
mkdir -p "$work"
mount -t tmpfs sessions "$work"
# The command cannot find the outlines beside itself.
export XDG_CONFIG_HOME=/var/tmp/config XDG_STATE_HOME=/var/tmp/state
mkdir -p $XDG_CONFIG_HOME
ln -s "$(realpath "$scripts/../../../pipelines")" $XDG_CONFIG_HOME/gst-capture
# The tests report a session that ended before a key was typed.
trap '' PIPE
stages=(front side free face)
small=(--width 320 --height 180 --framerate 10 --preview-width 160)

unload_cameras
load_cameras 0:0 0:1 0:2 0:3 0:4 0:5 0:6
udevadm settle

# --- Sessions --------------------------------------------------------------------------------------------------------

# lead STEP SESSION ARGUMENT...: starts an automatic session.
lead() { launch "$1" "$gst_capture" session run "$2" "${small[@]}" --sink none --auto --json "${@:3}"; }

counts() { echo "\"event\":\"countdown\".*\"stage\":\"$1\""; }

# --- With typed keys --------------------------------------------------------------------------------------------------

# meet STEP SESSION ARGUMENT...: starts a session in a terminal, into which `press` types.
meet() {
    local folder=$work/$1 command
    mkdir -p "$folder"
    mkfifo "$work/$1.keys"
    printf -v command '%q ' "$gst_capture" session run "$2" "${small[@]}" --json "${@:3}"
    (cd "$folder" && exec script --quiet --flush --return --command "$command 2>stderr" /dev/null \
        <"$work/$1.keys" >stdout) &
    processes[$1]=$!
    exec {keyboard}>"$work/$1.keys"
    keyboards[$1]=$keyboard
}

declare -A keyboards

press() { printf '%s' "$2" >&"${keyboards[$1]}"; }

# Two preview frames a second are kept for inspection.
frames=(--sink 'videorate ! video/x-raw,framerate=2/1 ! jpegenc ! multifilesink location=preview-%03d.jpg')

# The shipped avatar with a shorter countdown, and without the gate `present`: the cameras' pattern has no face.
begin_avatar() {
    sed -e 's/^countdown: .*/countdown: 2s/' -e 's/gates: \[present\]/gates: []/' \
        -e "s|\.\./outlines|$(realpath "$scripts/../../../pipelines/outlines")|" \
        "$scripts/../../../pipelines/sessions/avatar.yaml" >"$work/avatar.yaml"
    meet session-avatar "$work/avatar.yaml" --front /dev/video0 --back /dev/video1 "${frames[@]}"
    await session-avatar '"event":"camera"'
    # From the camera at the front to the one at the back, which the last stage has to leave again.
    press session-avatar c
    await session-avatar '"event":"camera".*"role":"back"'
    press session-avatar ' '
    await session-avatar '"phase":"tutorial"'
    press session-avatar s
}

end_avatar() {
    await session-avatar '"event":"review"'
    press session-avatar a
    part session-avatar
}

# Each stage waits for a key, and the last one is skipped.
begin_skipping() {
    sed 's/^next-stages: .*/next-stages: trigger/' "$sessions/people.yaml" >"$work/people.yaml"
    meet session-skip "$work/people.yaml" --camera /dev/video2 --sink none
    await session-skip '"phase":"ready"'
    press session-skip ' '
}

end_skipping() {
    local stage
    for stage in side free face; do
        await session-skip "\"phase\":\"armed\",\"stage\":\"$stage\""
        press session-skip "$([[ $stage == face ]] && echo s || echo ' ')"
    done
    await session-skip '"event":"review"'
    press session-skip a
    part session-skip
}

# The camera at the back settles for some seconds: meanwhile the session switches to the front and back again.
switch_while_settling() {
    meet session-switch "$sessions/people.yaml" --front /dev/video0 --back /dev/video1 --settle 3s --sink none
    await session-switch '"event":"camera"'
    press session-switch c
    await session-switch '"event":"opening".*"role":"back"'
    press session-switch c
    await session-switch '"event":"opening".*"role":"front"' 2
    press session-switch c
    await session-switch '"event":"camera".*"role":"back"'
    press session-switch ' '
    await session-switch '"event":"review"'
    press session-switch a
    part session-switch
}

# --- Faults -----------------------------------------------------------------------------------------------------------

# Moves the whole picture to the left, fast; or stops that.
shake() { inject 3 horizontal_movement=0; }
calm() { inject 3 horizontal_movement=3; }

shake_each_stage() {
    local stage aborts=0
    for stage in "${stages[@]}"; do
        await session-shake "$(counts "$stage")"
        # Waits for this stage of the current run, not of an earlier one.
        until_true counting_after_abort session-shake "$stage"
        shake
        aborts=$((aborts + 1))
        await session-shake '"event":"aborted".*the picture was not steady' $aborts
        calm
    done
}

# counting_after_abort STEP STAGE: succeeds if the last countdown is of this stage.
counting_after_abort() {
    grep -E '"event":"(countdown|aborted)"' "$work/$1/stdout" | tail -n 1 | grep --quiet -- "$(counts "$2")"
}

lose_each_stage() {
    local stage losses=0
    for stage in "${stages[@]}"; do
        await session-lost "$(counts "$stage")"
        inject 4 disconnect=1
        losses=$((losses + 1))
        await session-lost '"event":"lost"' $losses
    done
}

# Kills a session in the countdown of each stage, and resumes it.
kill_each_stage() {
    local stage
    for stage in "${stages[@]}"; do
        go_on session-kill
        await session-kill "$(counts "$stage")"
        kill -KILL "${processes[session-kill]}"
        wait "${processes[session-kill]}" 2>/dev/null
        rm "$work/session-kill/stdout"
    done
    go_on session-kill
}

# go_on STEP: runs the session, or resumes it if it already has a folder.
go_on() {
    local arguments=(run "$sessions/people.yaml")
    ! compgen -G "$work/$1/people-*" >/dev/null || arguments=(resume)
    launch "$1" "$gst_capture" session "${arguments[@]}" "${small[@]}" --camera /dev/video5 --sink none --auto --json
}

# --- All together -----------------------------------------------------------------------------------------------------

# Squares of colors that move both ways. Text would stand still and suggest that the camera does, too.
inject 3 test_pattern=4
inject 3 osd_text_mode=2
calm
lead session-cameras "$sessions/cameras.yaml" --front /dev/video6 --back /dev/video5
begin_skipping
part session-cameras
end_skipping
# The countdown is long enough for a shake to begin in time.
sed 's/^countdown: .*/countdown: 6s/' "$sessions/people.yaml" >"$work/shaken.yaml"
lead session-shake "$work/shaken.yaml" --camera /dev/video3
lead session-lost "$sessions/people.yaml" --camera /dev/video4
lose_each_stage &
losing=$!
shake_each_stage
wait $losing
part session-lost
part session-shake
switch_while_settling
begin_avatar
kill_each_stage
end_avatar
part session-kill
