# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Steps of the command on the machine's two cameras. The first one is used by its stable ID, the second one is for
# faults.

: "${gst_capture:?}"
vga=(--width 640 --height 480)

# Beside the others, as it waits most of the time. Each cut takes some seconds.
time_limit=$((600 + 120 * ${POWER_CUTS:-5})) step power-cuts bash "${scripts:?}/power.sh" "$gst_capture" &
power=$!

step cameras "$gst_capture" cameras --json
camera=$(json_value cameras id /dev/video0)
other=$(json_value cameras id /dev/video1)
# If no camera is listed, the steps below must fail with this name, and not use the first camera.
: "${camera:=no-camera-listed}" "${other:=no-camera-listed}"

# Two formats of the camera, with the colors that it delivers.
step snap-yuyv "$gst_capture" snap --camera "$camera" --format YUYV "${vga[@]}" -o still.jpg --json
step snap-nv12 "$gst_capture" snap --camera "$camera" --format NV12 "${vga[@]}" -o still.jpg --json
step snap-png "$gst_capture" snap --camera "$camera" --format YUYV "${vga[@]}" -o still.png --json

# A control that affects the picture: the brightness of the test pattern, from 0 to 255.
step controls "$gst_capture" controls --camera "$camera"
step set-dark "$gst_capture" controls --camera "$camera" --set brightness=40
step snap-dark "$gst_capture" snap --camera "$camera" "${vga[@]}" -o still.jpg --json
step set-bright "$gst_capture" controls --camera "$camera" --set brightness=200
step snap-bright "$gst_capture" snap --camera "$camera" "${vga[@]}" -o still.jpg --json
# A flash: the brightness stands for its light, and must be set only for the picture.
flash=(--flash auto --flash-control brightness=250)
step snap-flash-bright "$gst_capture" snap --camera "$camera" "${vga[@]}" "${flash[@]}" -o still.jpg --json
v4l2-ctl --device /dev/video0 --set-ctrl brightness=10
step snap-flash-dark "$gst_capture" snap --camera "$camera" "${vga[@]}" "${flash[@]}" -o still.jpg --json
step flash-control v4l2-ctl --device /dev/video0 --get-ctrl brightness
step snap-flash-none "$gst_capture" snap --camera "$camera" "${vga[@]}" --flash auto -o still.jpg --json
step snap-flash-needed "$gst_capture" snap --camera "$camera" "${vga[@]}" --flash on -o still.jpg --json
v4l2-ctl --device /dev/video0 --set-ctrl brightness=128

# Faults, each with its message and exit status.
start_streaming /dev/video1
step busy "$gst_capture" snap --camera "$other" "${vga[@]}" -o still.jpg
stop_streaming
step permission setpriv --reuid nobody --regid nogroup --clear-groups -- "$gst_capture" snap --camera /dev/video0 "${vga[@]}" -o -
step no-camera "$gst_capture" snap --camera usb-nonesuch -o still.jpg
# It must not miss a slot, so no other program disturbs it.
wait "$power"
step timelapse "$gst_capture" timelapse --camera "$camera" "${vga[@]}" --interval 500ms --count 10 -o still-%02n.jpg --json
# Last, since both cameras go: they are one device of the kernel's platform bus.
echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
udevadm settle
step unplugged "$gst_capture" snap --camera "$camera" -o still.jpg
