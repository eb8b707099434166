# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Guided sessions on cameras, side by side since they wait most of the time: the avatar with a camera on each side and
# typed keys, and sessions that are shaken, lose their camera, and are killed in each of their stages.

: "${gst_capture:?}" "${scripts:?}" "${captured:?}" "${silence:?}"
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

# countdown_of STAGE: sets `countdown` to the pattern of the stage's countdown.
countdown_of() { countdown="\"event\":\"countdown\"*\"stage\":\"$1\""; }

# --- With typed keys --------------------------------------------------------------------------------------------------

# meet STEP SESSION ARGUMENT...: starts a session in a terminal, into which `press` types.
meet() {
    local folder=$work/$1 command
    mkdir -p "$folder"
    mkfifo "$work/$1.keys"
    printf -v command '%q ' "$gst_capture" session run "$2" "${small[@]}" --json "${@:3}"
    (cd "$folder" && exec script --quiet --flush --return --command "$command 2>stderr" /dev/null \
        <"$work/$1.keys" >stdout {silence}<&-) &
    started "$1" $!
    exec {keyboard}>"$work/$1.keys"
    keyboards[$1]=$keyboard
}

declare -A keyboards

press() { printf '%s' "$2" >&"${keyboards[$1]}"; }

# Two preview frames a second are kept for inspection.
frames=(--sink 'videorate ! video/x-raw,framerate=2/1 ! jpegenc ! multifilesink location=preview-%03d.jpg')

# The shipped avatar with a shorter countdown, and without the gate `present`: the cameras' pattern has no face.
capture_avatar() {
    sed -e 's/^countdown: .*/countdown: 2s/' -e 's/gates: \[present\]/gates: []/' \
        -e "s|\.\./outlines|$(realpath "$scripts/../../../pipelines/outlines")|" \
        "$scripts/../../../pipelines/sessions/avatar.yaml" >"$work/avatar.yaml"
    meet session-avatar "$work/avatar.yaml" --front /dev/video0 --back /dev/video1 "${frames[@]}"
    await session-avatar '"event":"camera"'
    # From the camera at the front to the one at the back, which the last stage has to leave again.
    press session-avatar c
    await session-avatar '"event":"camera"*"role":"back"'
    press session-avatar ' '
    await session-avatar '"phase":"tutorial"'
    press session-avatar s
    # The face has a separate button.
    await session-avatar '"phase":"armed"*"stage":"face"'
    press session-avatar ' '
    await session-avatar '"event":"review"'
    press session-avatar a
    part session-avatar
}

# Each stage waits for a key, and the last one is skipped.
skip_a_stage() {
    local stage
    sed 's/^next-stages: .*/next-stages: trigger/' "$sessions/people.yaml" >"$work/people.yaml"
    meet session-skip "$work/people.yaml" --camera /dev/video2 --sink none
    await session-skip '"phase":"ready"'
    press session-skip ' '
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
    await session-switch '"event":"opening"*"role":"back"'
    press session-switch c
    await session-switch '"event":"opening"*"role":"front"' 2
    press session-switch c
    await session-switch '"event":"camera"*"role":"back"'
    press session-switch ' '
    await session-switch '"event":"review"'
    press session-switch a
    part session-switch
}

# --- Faults -----------------------------------------------------------------------------------------------------------

# Moves the whole picture to the left, fast; or stops that.
# One process sets the control (VIDIOC_S_CTRL): starting one for each shake could take longer than a countdown.
shake() { echo 0 >&"${movement:?}"; }
calm() { echo 3 >&"$movement"; }

# Starts the process that sets the movement of the picture to each number that it reads.
prepare_shakes() {
    local id
    id=$(v4l2-ctl --device /dev/video3 --list-ctrls | awk '$1 == "horizontal_movement" { print $2 }')
    : "${id:?}"
    exec {movement}> >(exec perl -e '
        my $id = hex shift;
        open my $camera, "+<", "/dev/video3" or die $!;
        while (my $value = <STDIN>) {
            my $control = pack "Ll", $id, $value;
            ioctl $camera, 0xC008561C, $control or warn $!;
        }
    ' "$id")
}

shake_each_stage() {
    local stage
    # The countdowns are long enough for a shake to begin in time, above all the last one, after which the session ends.
    {
        sed 's/^countdown: .*/countdown: 4s/' "$sessions/people.yaml"
        echo '    countdown: 15s'
    } >"$work/shaken.yaml"
    lead session-shake "$work/shaken.yaml" --camera /dev/video3
    for stage in "${stages[@]}"; do
        for _ in {1..10}; do
            if was_shaken "$stage" || has_ended session-shake; then break; fi
            shake_during "$stage"
        done
    done
    part session-shake
}

# was_shaken STAGE: succeeds once a countdown of the stage was aborted by a shake.
was_shaken() {
    count session-shake "\"event\":\"aborted\"*\"stage\":\"$1\"*the picture was not steady"
    ((${matched:?} > 0))
}

# shake_during STAGE: shakes the camera from the stage's next countdown until the session restarts. A shake that begins
# after that countdown aborts the next one, or its gate times out.
shake_during() {
    countdown_of "$1"
    await session-shake "$countdown"
    until_true counting_after_abort session-shake "$countdown"
    count session-shake '"event":"aborted"'
    shake
    await session-shake '"event":"aborted"' $((matched + 1))
    calm
}

# counting_after_abort STEP COUNTDOWN: succeeds if the last countdown is this one, and was not aborted, or the session
# has ended.
counting_after_abort() {
    local either='"event":"@(countdown|aborted)"'
    ! has_ended "$1" || return 0
    count "$1" "$either"
    [[ ${latest["$1 $either"]:-} == *$2* ]]
}

# Keys are typed, so that the session waits in its review for a loss that comes late.
lose_each_stage() {
    local stage losses=0 countdown
    meet session-lost "$sessions/people.yaml" --camera /dev/video4 --sink none
    await session-lost '"phase":"ready"'
    press session-lost ' '
    for stage in "${stages[@]}"; do
        countdown_of "$stage"
        await session-lost "$countdown"
        inject 4 disconnect=1
        losses=$((losses + 1))
        await session-lost "${lost:?}" $losses
        await session-lost "${recovered:?}" $losses
    done
    await session-lost '"event":"review"'
    press session-lost a
    part session-lost
}

# Kills a session in the countdown of each stage, and resumes it.
kill_each_stage() {
    local stage countdown
    for stage in "${stages[@]}"; do
        go_on session-kill
        countdown_of "$stage"
        await session-kill "$countdown"
        kill -KILL "${processes[session-kill]:?}"
        wait "${processes[session-kill]}" 2>/dev/null
        rm "$work/session-kill/stdout"
    done
    go_on session-kill
    part session-kill
}

# go_on STEP: runs the session, or resumes it if it already has a folder.
go_on() {
    local arguments=(run "$sessions/people.yaml")
    ! compgen -G "$work/$1/people-*" >/dev/null || arguments=(resume)
    launch "$1" "$gst_capture" session "${arguments[@]}" "${small[@]}" --camera /dev/video5 --sink none --auto --json
}

# --- All together -----------------------------------------------------------------------------------------------------

# beside COMMAND...: runs commands one after the other, in a shell beside the others. It starts its sessions itself, since
# only the shell that started a program can wait for it.
beside() {
    (
        # shellcheck disable=SC2034 # `part` uses it.
        recorders=()
        for command; do "$command"; done
        finish_records
    ) &
    shells+=($!)
}

capture_with_cameras() {
    lead session-cameras "$sessions/cameras.yaml" --front /dev/video6 --back /dev/video5
    part session-cameras
}

capture_a_moment() {
    lead session-moment "$sessions/moment.yaml" --front /dev/video6 --role left=/dev/video5
    part session-moment
}

# Squares of colors that move both ways. Text would stand still and suggest that the camera does, too.
inject 3 test_pattern=4
inject 3 osd_text_mode=2
prepare_shakes
calm
# No camera is in two of these lines.
shells=()
beside switch_while_settling capture_avatar
beside capture_with_cameras capture_a_moment kill_each_stage
beside shake_each_stage
beside lose_each_stage
beside skip_a_stage
wait "${shells[@]}"
exec {movement}>&-
