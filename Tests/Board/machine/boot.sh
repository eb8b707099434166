# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Measures the boot and the memory of the units, and prepares the system for a root that is mounted read-only.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"

# Prints the seconds from the start of the kernel until the unit was active.
active_after() {
    systemctl show --property ActiveEnterTimestampMonotonic --value "$1" | awk '{ printf "%.1f", $1 / 1e6 }'
}

# Prints the resident memory of the unit's main process in MB.
memory_of() { awk '/^VmRSS/ { printf "%.1f", $2 / 1e3 }' "/proc/$(main_process "$1")/status"; }

check_boot() {
    local unit
    for unit in "${units[@]}"; do
        until_true are_active "$unit"
        report $? "$unit starts by itself at the boot, active after $(active_after "$unit") s"
    done
    await_pictures 3 "${folders[@]}"
    report $? "both series resume by themselves after the boot"
    for unit in "${units[@]}"; do
        report 0 "memory of $unit: $(memory_of "$unit") MB (VmRSS)"
    done
    [[ ! $(systemctl list-units --failed --plain --no-legend) ]]
    report $? "no unit has failed"
}

# The data partition has the pictures; folders that programs write to for a while are in memory.
prepare_readonly() {
    systemctl stop "${units[@]}" gst-capture-serve.socket
    cat >/etc/fstab <<FSTAB
/dev/vda / ext4 ro 0 0
/dev/vdb $pictures ext4 defaults 0 0
tmpfs /tmp tmpfs defaults 0 0
tmpfs /var/tmp tmpfs defaults 0 0
tmpfs /var/cache/gst-capture tmpfs mode=0755 0 0
FSTAB
    # Pictures below the mount point would be hidden.
    rm -rf ${pictures:?}/*
}

! wanted boot || check_boot
! wanted readonly || prepare_readonly
journalctl --boot --output short-monotonic >"$out/journal"
