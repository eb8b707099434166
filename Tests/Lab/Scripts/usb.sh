# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# USB webcams (see UVCCamera) while the command captures: they are unplugged, moved to other ports, exchanged for twins,
# and stop delivering. Four captures run at a time, since each of them waits most of the time.

: "${gst_capture:?}" "${uvc_camera:?}" "${scripts:?}" "${CAMERA_LAB_KERNEL:?}" "${captured:?}" "${lost:?}" "${recovering:?}" "${recovered:?}"
work=/var/tmp/usb
pictures=$CAMERA_LAB_OUT/usb-pictures
controller=/sys/devices/platform/vhci_hcd.0
mkdir -p "$work"
mount -t tmpfs usb "$work"
modprobe --dirname "$CAMERA_LAB_KERNEL" --all uvcvideo vhci-hcd

# --- Cameras ---------------------------------------------------------------------------------------------------------

# webcam NAME PORT [OPTION...]: plugs in a camera, and waits until udev has processed it. It stays plugged in until a
# command of `tell` unplugs it. It serves the pictures of `folder`, if that is set.
webcam() {
    "$uvc_camera" -p "$2" "${@:3}" "/run/$1" "${folder:-$pictures}" 2>>"$CAMERA_LAB_OUT/usb-cameras" &
    plugged_in "$2"
}

# tell NAME COMMAND...
tell() { echo "${*:2}" >"/run/$1"; }

# move NAME PORT: plugs an unplugged camera into a port.
move() {
    tell "$1" plug "$2"
    plugged_in "$2"
}

plugged_in() {
    until_true node_at "$1" >/dev/null
    udevadm settle
}

# unplug_camera NAME PORT: unplugs a camera, and waits until the kernel has noticed.
unplug_camera() {
    tell "$1" unplug
    until_true is_empty "$2"
}

# interface_at PORT: sets `interface` to the pattern of its folder. The kernel counts ports from 1; the virtual
# controller has a second bus for faster devices.
interface_at() { interface="$controller/usb*/*-$(($1 + 1))/*-$(($1 + 1)):1.0"; }

is_empty() {
    local interface
    interface_at "$1"
    ! compgen -G "$interface" >/dev/null
}

# node_at PORT: prints the path of the camera's first node.
node_at() {
    local interface node index
    interface_at "$1"
    # shellcheck disable=SC2231 # It is a pattern without spaces.
    for node in $interface/video4linux/video*; do
        [[ -e /dev/${node##*/} ]] && read -r index <"$node/index" && [[ $index -eq 0 ]] &&
            echo "/dev/${node##*/}" && return
    done
    return 1
}

# sleeps PORT: succeeds once Linux has suspended the camera, as it does after two seconds without a user.
sleeps() {
    local file state
    for file in "$controller"/usb*/*-"$(($1 + 1))"/power/runtime_status; do
        [[ -e $file ]] && read -r state <"$file" && [[ $state == suspended ]] && return
    done
    return 1
}

# stay_awake PORT: Linux does not suspend the camera any more.
stay_awake() {
    local file
    for file in "$controller"/usb*/*-"$(($1 + 1))"/power/control; do [[ ! -e $file ]] || echo on >"$file"; done
}

by_id() { echo "usb-Lab_Lab_Webcam_$1-video-index0"; }

# series STEP CAMERA [OPTION...]
series() {
    launch "$1" "$gst_capture" timelapse --camera "$2" --format mjpeg --width 640 --height 480 --framerate 15 \
        --interval 500ms --stall-after 30s -o '%05n.jpg' --json "${@:3}"
}

# --- Pictures to serve -----------------------------------------------------------------------------------------------

# serve WIDTHxHEIGHT COUNT PROPERTY...: makes the pictures of a size with the properties of videotestsrc.
serve() {
    local place=${folder:-$pictures}/$1
    mkdir -p "$place"
    gst-launch-1.0 -q videotestsrc num-buffers="$2" "${@:3}" ! "video/x-raw,width=${1%x*},height=${1#*x}" ! jpegenc ! \
        multifilesink location="$place/%02d.jpg"
}

serve 1920x1080 5 pattern=zone-plate kx2=6 ky2=6 kt=3
serve 640x480 12 pattern=ball
# The pictures of twins, which must not occur in any series.
folder=$work/twin serve 640x480 2 pattern=smpte

# --- A single camera -------------------------------------------------------------------------------------------------

# Each answer is delayed, so that controls, formats and the start take many times as long as with a normal camera.
webcam slow 0 -d 10 -s SLOW
step usb-list "$gst_capture" cameras --json
step usb-controls "$gst_capture" controls --camera "$(by_id SLOW)" --json
step usb-slow "$gst_capture" snap --camera "$(by_id SLOW)" --format mjpeg --width 640 --height 480 --lock exposure,white-balance,focus -o slow.jpg --json
step usb-bytes "$gst_capture" snap --camera "$(by_id SLOW)" --format mjpeg --width 1920 --height 1080 --framerate 30 \
    --burst 8 -o '%02n.jpg' --json
step usb-raw "$gst_capture" snap --camera "$(by_id SLOW)" --format yuyv --width 320 --height 240 \
    --framerate 15 -o raw.jpg --json
tell slow quit
until_true is_empty 0

# --- Cameras that sleep ----------------------------------------------------------------------------------------------

# vhci_hcd has one record for all ports that wake up. If two cameras are opened while they sleep, it fails to wake one of
# them: open(2) fails with EBUSY, and the camera is disconnected and plugged in again, as by a bad hub.
webcam left 0 -s LEFT
webcam right 1 -s RIGHT
until_true sleeps 0
until_true sleeps 1
for name in left right; do
    launch usb-asleep-$name "$gst_capture" snap --camera "$(by_id ${name^^})" --format mjpeg --width 640 --height 480 \
        -o woken.jpg --json
done
for name in left right; do part usb-asleep-$name; done
for name in left right; do tell $name quit; done
until_true is_empty 0
until_true is_empty 1

# --- Cameras that move and fail --------------------------------------------------------------------------------------

webcam first 0 -s LAB0001
webcam second 1 -s COPY
folder=$work/twin webcam same 2 -s COPY
webcam nameless 3 -s ''
webcam faulty 4 -s FAULTY
# One after the other: cameras that are woken up at the same time can change their nodes, see "Cameras that sleep".
series usb-moved "$(by_id LAB0001)"
await usb-moved "$captured" 2
series usb-same-serial "$(node_at 1)"
await usb-same-serial "$captured" 2
series usb-no-serial "$(node_at 3)"
await usb-no-serial "$captured" 2
# Half of the interval, 2 s at most, is the time to find a whole frame, which three damaged ones must not use up.
series usb-faults "$(by_id FAULTY)" --interval 4s --stall-after 15s
await usb-faults "$captured" 2

# A camera is unplugged, and a twin of its model takes its port and its node.
node=$(node_at 0)
unplug_camera first 0
await usb-moved "$lost"
until_true holds_no_camera usb-moved
folder=$work/twin webcam twin 0 -s LAB0002
echo "$node $(node_at 0)" >"$CAMERA_LAB_OUT/usb-nodes"
# One of two cameras with the same serial number is unplugged, and the other stays. A camera without a serial number is
# plugged into another port.
unplug_camera second 1
unplug_camera nameless 3
move nameless 6
# A few frames are truncated, and begin with other bytes, shortly before the next picture is due.
await_more 1 usb-faults
pause 3.7
tell faulty cut 2
tell faulty junk 3
await_more 1 usb-faults
# All frames are damaged, until a slot has passed without a whole one.
damaged='"event":"failed"*"the frame is not a complete JPEG picture"'
for damage in cut junk; do
    count usb-faults "$damaged"
    tell faulty $damage 1000000
    await usb-faults "$damaged" $((${matched:?} + 1))
    tell faulty $damage 0
    await_more 1 usb-faults
done
tell faulty freeze
await usb-moved "$recovering*another camera now"
await usb-same-serial "$recovering*known only by its port"
await usb-no-serial "$recovering*known only by its port"

# The first camera comes back at another port, the others at their own.
unplug_camera nameless 6
tell first plug 5
tell second plug 1
tell nameless plug 3
await usb-faults "$lost"
tell faulty thaw
for name in usb-moved usb-same-serial usb-no-serial usb-faults; do await $name "$recovered"; done
tell faulty hang
await usb-faults "$lost" 2
tell faulty thaw
await usb-faults "$recovered" 2
unplug_camera faulty 4
await usb-faults "$lost" 3
tell faulty plug 4
await usb-faults "$recovered" 3
await_more 2 usb-moved usb-same-serial usb-no-serial usb-faults
for name in usb-moved usb-same-serial usb-no-serial usb-faults; do end $name; done

# --- Exposure that follows the light -----------------------------------------------------------------------------------

# The pictures of a camera in YUYV are as bright as the light and its exposure time make them.
webcam dusk 6 -s DUSK
cat >"$work/serve.yaml" <<YAML
cameras:
  dusk:
    camera: $(by_id DUSK)
    format: yuyv
    width: 320
    height: 240
    framerate: 15
    stall-after: 60s
    series:
      dusk: { interval: 500ms, output: $work/dusk/%05n.jpg }
YAML
dusk=http://127.0.0.1:8080/api/v1/cameras/dusk
mkdir "$work/dusk"
launch usb-service "${gst_capture%/*}/gst-capture-serve" "$work/serve.yaml" --listen 127.0.0.1:8080 --state "$work/state"
await_service
launch usb-ramp curl --silent --no-buffer "http://127.0.0.1:8080/api/v1/events?camera=dusk"
await usb-ramp "$captured"

get usb-ramp-request "$dusk/ramp?controls=exposure" --request POST
await_more 3 usb-ramp
get usb-ramp-begun "$dusk/controls"
tell dusk light 50
await_more 10 usb-ramp
get usb-ramp-followed "$dusk/controls"
get usb-ramp-ended "$dusk/unlock" --request POST
kill -TERM "${processes[usb-service]:?}"
part usb-service
part usb-ramp
step usb-ramp-ledger "$gst_capture" ledger "$work/dusk" --json --limit 0
tell dusk quit
until_true is_empty 6

# --- A session and a preview -----------------------------------------------------------------------------------------

launch usb-session "$gst_capture" session run "$(realpath "$scripts/../Sessions/usb.yaml")" --camera "$(by_id LAB0001)" \
    --format mjpeg --width 640 --height 480 --framerate 15 --preview-width 160 --sink none --auto --json
launch usb-preview "$gst_capture" preview --camera "$(by_id FAULTY)" --format mjpeg --width 640 --height 480 \
    --framerate 15 --stall-after 30s --preview-width 160 --sink fakesink -o '%05n.jpg' --json
await usb-session '"event":"countdown"*"stage":"front"'
unplug_camera first 5
await usb-preview '"event":"settled"'
kill -USR1 "${processes[usb-preview]:?}"
await usb-preview "$captured"
unplug_camera faulty 4
await usb-session "$lost"
await usb-preview "$lost"
tell first plug 7
tell faulty plug 6
await usb-preview "$recovered"
kill -USR1 "${processes[usb-preview]:?}"
await usb-preview "$captured" 2
# A camera gives no answers at all when a program starts. It would hold up any other program that starts, so it is
# plugged in while none does: the session and the preview are running.
await usb-session "$recovered"
webcam hanging 4 -s HANGS
stay_awake 4
tell hanging hang
step usb-hang "$gst_capture" snap --camera "$(by_id HANGS)" --format mjpeg --width 640 --height 480 -o hang.jpg --json
tell hanging quit
until_true is_empty 4
# Another one sleeps, and is not even woken up. Linux tries for a minute and a half, in which open(2) does not return.
# GStreamer queries new nodes when a program starts: it knows this one before the camera hangs.
webcam hanging 4 -s SLEEPS
gst-inspect-1.0 fakesink >/dev/null
until_true sleeps 4
tell hanging hang
launch usb-hang-asleep "$gst_capture" snap --camera "$(by_id SLEEPS)" --format mjpeg --width 640 --height 480 \
    -o hang.jpg --json
await usb-hang-asleep '"event":"error"'
tell hanging quit
until_true is_empty 4
part usb-hang-asleep
part usb-session
kill -TERM "${processes[usb-preview]:?}"
part usb-preview
