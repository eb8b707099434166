# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# The service with two cameras, while a browser of the host uses its page (see page.py). The service runs as a user who
# has only the permissions of the group video. The second camera loses these permissions, and the first one is unplugged
# and plugged in, when the host wants it.

: "${gst_capture:?}" "${built:?}"
work=/var/tmp/page
mkdir -p "$work"
mount -t tmpfs page "$work"
mkdir "$work/pictures" "$work/state"
chown nobody "$work/pictures" "$work/state"
as_user=(setpriv --reuid nobody --regid nogroup --groups video --)
unload_cameras
load_cameras 0:0 0:1
udevadm settle

cat >"$work/one.yaml" <<YAML
title: One picture
start: trigger
countdown: 1s
stages: [{ name: one, prompt: Smile }]
YAML
cat >"$work/serve.yaml" <<YAML
cameras:
  desk:
    camera: /dev/video0
    width: 640
    height: 360
    framerate: 5
    stall-after: 60s
    output: $work/pictures/%n.jpg
  side:
    camera: /dev/video1
    width: 320
    height: 180
    framerate: 5
    stall-after: 60s
sessions:
  one: { session: $work/one.yaml, camera: desk, output: $work/pictures }
YAML

# await_request NAME: waits until the host makes this file.
await_request() { until_true test -e "$CAMERA_LAB_OUT/requests/$1"; }

launch page-service "${as_user[@]}" "$built/gst-capture-serve" "$work/serve.yaml" --listen 0.0.0.0:8080 --state "$work/state"
await_service
# Its end tells the host that the service is there.
step page-pair "${as_user[@]}" "$gst_capture" serve pair "$work/serve.yaml" --role capture --state "$work/state" --url http://10.0.2.15:8080
await_request forbid
chmod 000 /dev/video1
await_request unplug
echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
await_request plug
until_true holds_no_camera page-service
echo vivid.0 >/sys/bus/platform/drivers/vivid/bind
await_request end
step page-pictures find "$work/pictures" -name '*.jpg' -size +1k
kill -TERM "${processes[page-service]:?}"
part page-service
