# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Checks both units on a root that is mounted read-only, with the pictures on a data partition.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"

! touch /etc/written 2>/dev/null
report $? "the root is read-only"
mountpoint --quiet $pictures
report $? "the pictures are on the data partition"
# The administrator of such a system makes the folders of the new partition once.
chown gst-capture:gst-capture $pictures
chmod 750 $pictures
install -d -o gst-capture -g gst-capture -m 750 $pictures/{second,requested,visits}
systemctl restart "${units[@]}"
await_pictures 3 "${folders[@]}"
report $? "both units capture with a read-only root"
for folder in "${folders[@]}"; do
    account "$folder"
    report $? "the ledger is complete on a data partition ($figures)"
done
journalctl --boot --output short-monotonic >"$out/journal"
