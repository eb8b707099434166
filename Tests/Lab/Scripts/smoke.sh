# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Steps without gst-capture: if they fail, the lab is at fault.

step lab-nodes ls /dev/video0 /dev/video1 /dev/v4l/by-path
step lab-formats v4l2-ctl --device /dev/video0 --list-formats-ext
step lab-control v4l2-ctl --device /dev/video0 --set-ctrl brightness=77 --get-ctrl brightness
v4l2-ctl --device /dev/video0 --set-ctrl brightness=128
step lab-still gst-launch-1.0 -q v4l2src num-buffers=1 ! video/x-raw,format=YUY2,width=640,height=480 ! jpegenc ! filesink location=still.jpg
start_streaming /dev/video1
step lab-busy gst-launch-1.0 -q v4l2src device=/dev/video1 num-buffers=1 ! fakesink
stop_streaming
