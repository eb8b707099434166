# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Recordings of a USB webcam (see UVCCamera) with a microphone, the loopback card snd-aloop: the webcam flashes and the
# microphone hears a click each second. Both print when, on the monotonic clock of the machine. The microphone is right,
# fast or slow, has another sample rate, is busy, and is unplugged.
#
# Nothing is written to the files of the host during a recording: it would wait for the host, while the clocks of this
# machine skip waits.

: "${gst_capture:?}" "${uvc_camera:?}" "${sound_loop:?}" "${CAMERA_LAB_KERNEL:?}"
# In seconds of this machine, which pass fast while it waits for the host.
# shellcheck disable=SC2034 # steps.sh uses it.
patience=7200
work=/var/tmp/sound
mkdir -p "$work"
mount -t tmpfs sound "$work"
modprobe --dirname "$CAMERA_LAB_KERNEL" --all uvcvideo vhci-hcd
modprobe --dirname "$CAMERA_LAB_KERNEL" snd-aloop index=0 pcm_substreams=1
microphone=hw:0,1

mkdir "$work/none"
"$uvc_camera" -p 0 -f -s FLASH /run/flash "$work/none" >"$work/flashes" 2>"$CAMERA_LAB_OUT/sound-camera" &
flashing=$!
webcam=/dev/v4l/by-id/usb-Lab_Lab_Webcam_FLASH-video-index0
until_true test -e $webcam
udevadm settle

# start_clicks STEP [OPTION...]: plays clicks, and returns once there is one.
start_clicks() {
    mkdir -p "$work/$1"
    "$sound_loop" "${@:2}" >"$work/$1/clicks" 2>>"$CAMERA_LAB_OUT/sound-card" &
    clicking=$!
    until_true test -s "$work/$1/clicks"
}

stop_clicks() {
    kill "$clicking" 2>/dev/null
    wait "$clicking" 2>/dev/null
}

# clip STEP TIME [OPTION...]: begins a recording. Small pictures: this machine encodes slowly.
clip() {
    launch "$1" "$gst_capture" record --camera $webcam --format yuyv --width 320 --height 240 --framerate 15 \
        --bitrate 300k --audio $microphone --for "$2" -o clip.mp4 --json "${@:3}"
}

# clip_with_clicks STEP TIME [OPTION...]: records clicks that are played with these options.
clip_with_clicks() {
    start_clicks "$1" "${@:3}"
    clip "$1" "$2"
    finish "$1"
    # The last click is printed half a second after it was heard.
    pause 1
    stop_clicks
    cp "$work/flashes" "$work/$1"
    monotonic_offset >"$work/$1/offset"
    record "$1"
}

# Prints the nanoseconds of the wall clock at the start of the monotonic clock. Between the two readings nothing else runs.
monotonic_offset() {
    perl -MTime::HiRes=clock_gettime,CLOCK_REALTIME,CLOCK_MONOTONIC \
        -e 'printf "%.0f\n", 1e9 * (clock_gettime(CLOCK_REALTIME) - clock_gettime(CLOCK_MONOTONIC))'
}

# The delay between the flash and its timestamp by the driver, which every recording contains.
step sound-stamps v4l2-ctl --device $webcam --set-fmt-video width=320,height=240,pixelformat=YUYV --set-parm 15 \
    --stream-mmap --stream-count 150 --verbose
cp "$work/flashes" "$CAMERA_LAB_OUT/sound-stamps"

clip_with_clicks sound-right 30s
# A deviation ten times that of a bad clock: 30 ms in these clips.
clip_with_clicks sound-fast 30s -r 1000
clip_with_clicks sound-slow 30s -r -1000
clip_with_clicks sound-resampled 30s -r 1000 -s 16000
[[ ${SOUND_MINUTES:-0} -eq 0 ]] || clip_with_clicks sound-long "${SOUND_MINUTES}m" -r 100

# Another program records.
gst-launch-1.0 -q alsasrc device=$microphone ! fakesink &
recording=$!
until_true grep -q RUNNING /proc/asound/card0/pcm1c/sub0/status
clip sound-busy 3s
part sound-busy
kill $recording
wait $recording

# The card is unplugged during a recording. The kernel waits until all programs have closed it.
start_clicks sound-unplugged
clip sound-unplugged 10s
await sound-unplugged '"event":"began"'
pause 3
echo snd_aloop.0 >/sys/bus/platform/drivers/snd_aloop/unbind &
unbinding=$!
part sound-unplugged
stop_clicks
wait $unbinding
kill $flashing
wait $flashing
