# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Removes and purges the packages while both series run.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"

# Prints the files that belong to the packages or their user, without pictures and the administrator's files.
remainders() {
    find / -xdev \( -name '*gst-capture*' -o -user gst-capture \) -not -path "$pictures*" \
        -not -path '/etc/gst-capture*' -not -path '/var/log/journal/*' -print
    find /run -xdev -name '*gst-capture*' -not -path '/run/camera-lab*' -not -path '/run/systemd/*' -print
}

await_pictures 1 "${folders[@]}"
report $? "both series run before the removal"
dpkg --remove gst-capture-serve gst-capture >"$out/dpkg-remove.log" 2>&1
report $? "the packages can be removed"
! are_active gst-capture@garden.service && ! are_active gst-capture-serve.service
report $? "the removal stops gst-capture@garden and the service"
! pgrep --full /usr/bin/gst-capture >/dev/null
report $? "no process of gst-capture is left"
before=$(pictures_in $pictures)
dpkg --purge gst-capture-serve gst-capture >"$out/dpkg-purge.log" 2>&1
report $? "the packages can be purged"
[[ $(pictures_in $pictures) == "$before" && $before -gt 0 ]]
report $? "all $before pictures are there after the purge"
left=$(remainders)
[[ ! $left ]]
report $? "the purge leaves nothing else${left:+: ${left//$'\n'/ }}"
journalctl --boot --output short-monotonic >"$out/journal"
