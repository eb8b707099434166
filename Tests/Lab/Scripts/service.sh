# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# The service with two cameras: a series on the first one continues while clients watch, change controls and capture, and
# while the cameras are unplugged.

: "${gst_capture:?}" "${scripts:?}" "${captured:?}" "${lost:?}" "${recovered:?}"
work=/var/tmp/service
mkdir -p "$work"
mount -t tmpfs service "$work"
mkdir "$work/second" "$work/side"
unload_cameras
load_cameras 0:0 0:1
udevadm settle

cat >"$work/serve.yaml" <<YAML
cameras:
  front:
    camera: /dev/video0
    width: 320
    height: 180
    framerate: 10
    stall-after: 60s
    series:
      second: { interval: 1s, output: $work/second/%05n.jpg }
  side:
    camera: /dev/video1
    width: 320
    height: 180
    framerate: 10
    stall-after: 60s
    output: $work/side/%n.jpg
buttons:
  - { device: Lab Buzzer, key: enter, camera: side }
YAML
address=http://127.0.0.1:8080
camera=$address/api/v1/cameras/front

# watch: watches live pictures again and again, some seconds each time.
watch() {
    local seconds=2
    while :; do
        curl --silent --max-time "$seconds" --output /dev/null "$address/cameras/front/stream?width=160&fps=5"
        seconds=$((seconds % 5 + 1))
    done
}

mkdir -p /run/gst-capture
launch service "${gst_capture%/*}/gst-capture-serve" "$work/serve.yaml" --listen 127.0.0.1:8080 \
    --listen unix:/run/gst-capture/serve.sock --state "$work/state"
await_service
launch service-events curl --silent --no-buffer "$address/api/v1/events?camera=front"
await service-events "$captured" 2

# The command uses the camera through the service, which holds it.
step service-command-snap "$gst_capture" snap --camera /dev/video0 -o "$work/command.jpg" --json
step service-command-locked "$gst_capture" snap --camera /dev/video1 --lock exposure --set brightness=50 \
    -o "$work/locked.jpg"
step service-command-series "$gst_capture" timelapse --camera /dev/video0 --interval 500ms --count 4 \
    -o "$work/command-%n.jpg" --json
step service-command-conflict "$gst_capture" snap --camera /dev/video0 --width 640 -o "$work/conflict.jpg"
step service-command-controls "$gst_capture" controls --camera /dev/video0 --set brightness=90
get service-command-brightness "$camera/controls"

get service-controls "$camera/controls"
json=(--header 'Content-Type: application/json')
get service-dark "$camera/controls" --request PATCH "${json[@]}" --data '{"brightness": 40}'
get service-snap-dark "$camera/snap" --request POST
get service-bright "$camera/controls" --request PATCH "${json[@]}" --data '{"brightness": "200"}'
get service-snap-bright "$camera/snap" --request POST
get service-unknown-control "$camera/controls" --request PATCH "${json[@]}" --data '{"brightnes": 1}'
get service-lock "$camera/lock?controls=exposure" --request POST

watchers=()
for _ in 1 2 3 4; do
    watch &
    watchers+=($!)
done
count service-events "$captured"
await service-events "$captured" $((${matched:?} + 5))
echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind
await service-events "$lost"
get service-lost $address/api/v1/status
# Some slots pass without a camera.
pause 3
echo vivid.0 >/sys/bus/platform/drivers/vivid/bind
udevadm settle
await service-events "$recovered"
count service-events "$captured"
await service-events "$captured" $((${matched:?} + 5))
get service-after "$camera/controls"
get service-snap-after "$camera/snap" --request POST
kill "${watchers[@]}"
wait "${watchers[@]}" 2>/dev/null
get service-reset "$camera/controls/reset" --request POST
get service-state $address/api/v1/series/second

# A buzzer is plugged in while the service runs, and once more at another node.
holds_buzzer() { [[ $(readlink "/proc/${processes[service]:?}/fd/"*) == *'/dev/input/event'* ]]; }
lacks_buzzer() { ! holds_buzzer; }
has_pictures() { [[ $(find "$work/side" -name '*.jpg' | wc -l) == "$1" ]]; }
for round in 1 2; do
    mkfifo "$work/presses-$round"
    launch "buzzer-$round" python3 "$scripts/buzzer" "Lab Buzzer" "$work/presses-$round"
    exec {presses}>"$work/presses-$round"
    until_true holds_buzzer
    echo press >&"$presses"
    until_true has_pictures "$round"
    exec {presses}>&-
    until_true lacks_buzzer
done
step service-buttons ls "$work/side"

kill -TERM "${processes[service]:?}"
part service
part service-events
step service-ledger "$gst_capture" ledger "$work/second" --json --limit 0
step service-verify "$gst_capture" ledger "$work/second" --verify
