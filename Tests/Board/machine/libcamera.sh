# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Captures with the preset of the Raspberry Pi from libcamera's virtual camera, by hand and by the unit.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"

mkdir -p /usr/share/libcamera/pipeline/virtual
cat >/usr/share/libcamera/pipeline/virtual/virtual.yaml <<'YAML'
"Virtual0":
  supported_formats:
  - width: 2304
    height: 1296
    frame_rates: [15, 15]
  - width: 640
    height: 360
    frame_rates: [15, 15]
  test_pattern: "lines"
  location: "CameraLocationFront"
  model: "Virtual"
YAML

# libcamera takes the memory of frames from one of these drivers. Without them its camera never delivers a frame, in
# gst-launch-1.0 either.
compgen -G '/dev/dma_heap/*' >/dev/null || [[ -e /dev/udmabuf ]]
report $? "the kernel $(uname -r) has memory for frames: /dev/dma_heap or /dev/udmabuf"

export HOME=/root GST_CAPTURE_STALL_AFTER=60s
now began
gst-capture snap --preset raspberry-pi-libcamera -o "$out/libcamera.jpg" >"$out/libcamera.log" 2>&1
status=$?
since "${began:?}"
report $status "snap with the preset raspberry-pi-libcamera takes $seconds s"
jpeginfo --check "$out/libcamera.jpg" >"$out/libcamera.info" 2>&1
report $? "its picture is whole: $(tail -c +1 "$out/libcamera.info" | awk '{ print $2, $3, $4 }' | head -1)"

# Debian leaves these devices to root. The rule is that of Raspberry Pi OS.
echo 'SUBSYSTEM=="dma_heap", GROUP="video", MODE="0660"' >/etc/udev/rules.d/60-dma-heap.rules
udevadm control --reload
udevadm trigger --settle --subsystem-match=dma_heap

# The unit reads the same preset under another name, with the drop-in that its head comment names.
cp /usr/share/gst-capture/pipelines/raspberry-pi-libcamera.yaml /etc/gst-capture/module.yaml
sed -i 's/^width:.*/width: 640/; s/^height:.*/height: 360/' /etc/gst-capture/module.yaml
printf '%s\n' 'interval: 2s' 'output: "%06n.jpg"' 'stall-after: 60s' >>/etc/gst-capture/module.yaml
mkdir -p /etc/systemd/system/gst-capture@module.service.d
printf '[Service]\nDeviceAllow=char-dma_heap rw\n' >/etc/systemd/system/gst-capture@module.service.d/libcamera.conf
systemctl daemon-reload
systemctl start gst-capture@module
mkdir -p $pictures/module
await_pictures 3 $pictures/module
report $? "gst-capture@module captures from libcamera's camera"
journalctl --boot --output short-monotonic >"$out/journal"
