# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# The card of a camera, in a USB reader: it is imported, and unplugged while it is read.

: "${gst_capture:?}" "${CAMERA_LAB_KERNEL:?}"
work=/var/tmp/card
mkdir -p "$work"
mount -t tmpfs card "$work"
mkdir "$work/mounted"
modprobe --dirname "$CAMERA_LAB_KERNEL" --all dummy_hcd usb_f_mass_storage sd_mod usb-storage vfat nls_cp437 nls_ascii nls_iso8859-1

# --- The reader: a USB device of this kernel at a USB port of this kernel ----------------------------------------------------

mountpoint -q /sys/kernel/config || mount -t configfs config /sys/kernel/config
reader=/sys/kernel/config/usb_gadget/reader
mkdir "$reader"
echo 0x1d6b >"$reader/idVendor"
echo 0x0104 >"$reader/idProduct"
mkdir "$reader/functions/mass_storage.0" "$reader/configs/c.1"
ln -s "$reader/functions/mass_storage.0" "$reader/configs/c.1"

plug() { echo dummy_udc.0 >"$reader/UDC"; }
unplug() { echo >"$reader/UDC"; }

# --- A card with 80 different pictures ---------------------------------------------------------------------------------

has_disk() { compgen -G '/dev/sd?' >/dev/null; }
has_no_disk() { ! has_disk; }

# mount_card: waits for the reader's disk, and mounts it.
mount_card() {
    until_true has_disk
    until_true mount -t vfat -o iocharset=iso8859-1 /dev/sd? "$work/mounted"
}

truncate --size 64M "$work/image"
busybox mkdosfs -n CARD "$work/image"
echo 1 >"$reader/functions/mass_storage.0/lun.0/removable"
echo "$work/image" >"$reader/functions/mass_storage.0/lun.0/file"
plug
mount_card
step card-picture "$gst_capture" snap --camera scene --width 1280 --height 960 -o picture.jpg
mkdir -p "$work/mounted/DCIM/100GSTCA"
for number in {01..80}; do
    { cat "$CAMERA_LAB_OUT/card-picture/picture.jpg"; printf '%s' "$number"; } >"$work/mounted/DCIM/100GSTCA/IMG_$number.JPG"
done
umount "$work/mounted"

# --- Imports -------------------------------------------------------------------------------------------------------------

imported() { find "$work/imports" -name '*.JPG' | wc -l; }
has_some() { (($(imported) >= 10)); }

# sums STEP FOLDER: records the hashes of the pictures in a folder.
sums() { step "$1" bash -c "find '$2' -name '*.JPG' -exec sha256sum {} + | cut -c 1-64 | sort"; }

library() { step "$1" "$gst_capture" library "${@:2}" --state "$work/state"; }

mount_card
launch card-pulled "$gst_capture" library import "$work/mounted" --to "$work/imports" --state "$work/state"
until_true has_some
unplug
part card-pulled
finish_records
until_true has_no_disk
umount --lazy "$work/mounted"
sums card-first "$work/imports"
plug
mount_card
library card-again import "$work/mounted" --to "$work/imports"
library card-known import "$work/mounted" --to "$work/imports"
library card-list search --quiet --limit 0
library card-verify verify
sums card-copies "$work/imports"
sums card-originals "$work/mounted"
umount "$work/mounted"
