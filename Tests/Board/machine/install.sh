# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Installs the packages, configures two series, and checks the units: their activation, watchdog and restarts, a reload,
# confinement, and an upgrade in the middle of the series.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"

install_packages() {
    local began
    now began
    dpkg --install "$out"/packages/*.deb >"$out/dpkg.log" 2>&1
    report $? "the packages install"
    since "$began"
    are_active gst-capture-serve.service gst-capture-serve.socket &&
        systemctl --quiet is-enabled gst-capture-serve.service gst-capture-serve.socket
    report $? "the installation leaves service and socket active and enabled ($seconds s)"
    id --name --groups gst-capture | grep --quiet --word-regexp video
    report $? "the user gst-capture belongs to the group video"
}

# Starts one series of each unit. The service gets its configuration by a reload.
configure() {
    install -d -o gst-capture -g gst-capture -m 750 $pictures/{second,requested,visits}
    install -D -m 644 -t /etc/gst-capture "$out/scripts/garden.yaml"
    install -D -m 644 -t /etc/gst-capture/sessions "$out/scripts/visit.yaml"
    install -m 644 "$out/scripts/serve.yaml" /etc/gst-capture-serve.yaml
    systemctl reload gst-capture-serve
    systemctl --quiet enable --now gst-capture@garden
    await_pictures 2 "${folders[@]}"
    report $? "both units capture after their configuration"
}

# A stopped service starts with the first connection.
check_activation() {
    local began
    systemctl stop gst-capture-serve.service
    ! are_active gst-capture-serve.service && are_active gst-capture-serve.socket
    report $? "the socket stays active while the service is stopped"
    now began
    curl --silent --fail --max-time 120 --output /dev/null http://127.0.0.1:8080/healthz
    local status=$?
    since "$began"
    report $status "a connection starts the service, and is answered after $seconds s"
}

# check_restart SIGNAL WHAT: sends the signal to both units. systemd must start them again, and their series must
# continue.
check_restart() {
    local unit number began status folder processes=()
    now began
    for unit in "${units[@]}"; do
        processes+=("$(main_process "$unit")")
        systemctl kill --kill-whom=main --signal="$1" "$unit"
    done
    for number in "${!units[@]}"; do
        until_true is_replaced "${units[number]}" "${processes[number]}"
        status=$?
        since "$began"
        report $status "$2: ${units[number]} runs again $seconds s after SIG$1"
    done
    await_pictures 2 "${folders[@]}"
    report $? "$2: both series continue"
    for folder in "${folders[@]}"; do
        account "$folder"
        report $? "$2: the ledger is complete ($figures)"
    done
}

# A reload without a change must cost no slot.
check_reload() {
    local before=() processes=() unit folder number
    for unit in "${units[@]}"; do processes+=("$(main_process "$unit")"); done
    for folder in "${folders[@]}"; do
        account "$folder"
        before+=("$lost")
    done
    systemctl reload "${units[@]}"
    report $? "systemctl reload succeeds for both units"
    await_pictures 3 "${folders[@]}"
    report $? "both series continue after the reload"
    for number in "${!folders[@]}"; do
        account "${folders[number]}" && ((lost == before[number])) &&
            [[ $(main_process "${units[number]}") == "${processes[number]}" ]]
        report $? "the reload costs no slot and no restart ($figures)"
    done
}

# A text in the pictures needs the process that draws, which confines itself.
check_overlay() {
    local process began
    echo 'burn-in: "text:board %H:%M:%S;position=bottom-left;size=20%"' >>/etc/gst-capture/garden.yaml
    systemctl reload gst-capture@garden
    now began
    until_true pgrep --full gst-capture-raster
    process=$(pgrep --full gst-capture-raster | head -1)
    since "$began"
    grep --quiet '^Seccomp:[[:space:]]*2' "/proc/${process:-0}/status"
    report $? "the process that draws runs ${seconds} s after the reload, with a seccomp filter"
    await_pictures 3 $garden
    report $? "pictures with a burned-in text are captured"
    ! journalctl --unit gst-capture@garden --boot | grep --quiet --ignore-case -E 'cannot confine|refuses to draw'
    report $? "the journal has no refusal to draw"
    cp "$(find $garden -name '*.jpg' | sort | tail -1)" "$out/overlay.jpg"
}

# systemd rates the units: 0 is the safest, and 10 unconfined.
check_security() {
    local unit exposure
    for unit in "${units[@]}"; do
        exposure=$(systemd-analyze security --no-pager "$unit" |
            sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
        [[ $exposure && ${exposure%.*} -lt 2 ]]
        report $? "systemd-analyze security rates $unit below 2: ${exposure:-no figure}"
    done
}

# Packages of the next version replace these while both series run.
check_upgrade() {
    local before=() processes=() number folder unit began status
    # On a board a start takes a second. Here it takes several: slots of ten seconds correspond to that.
    sed -i 's/interval: 2s/interval: 10s/' /etc/gst-capture/garden.yaml /etc/gst-capture-serve.yaml
    systemctl reload "${units[@]}"
    await_pictures 2 "${folders[@]}"
    for unit in "${units[@]}"; do processes+=("$(main_process "$unit")"); done
    for folder in "${folders[@]}"; do
        account "$folder"
        before+=("$lost")
    done
    now began
    dpkg --install --force-confold "$out"/next/*.deb >"$out/dpkg-upgrade.log" 2>&1
    status=$?
    since "$began"
    report $status "the packages of the next version install in $seconds s"
    for number in "${!units[@]}"; do
        unit=${units[number]}
        is_replaced "$unit" "${processes[number]}" &&
            [[ $(readlink "/proc/$(main_process "$unit")/exe") != *deleted* ]]
        report $? "the upgrade restarts $unit"
    done
    await_pictures 2 "${folders[@]}"
    report $? "both series continue after the upgrade"
    for number in "${!folders[@]}"; do
        account "${folders[number]}" && ((lost - before[number] <= 1))
        report $? "the upgrade costs $((lost - before[number])) slots ($figures)"
    done
    sed -i 's/interval: 10s/interval: 2s/' /etc/gst-capture/garden.yaml /etc/gst-capture-serve.yaml
    systemctl reload "${units[@]}"
}

install_packages
configure
! wanted activation || check_activation
! wanted watchdog || check_restart STOP watchdog
! wanted kill || check_restart KILL kill
! wanted reload || check_reload
! wanted overlay || check_overlay
! wanted security || check_security
! wanted upgrade || check_upgrade
journalctl --boot --output short-monotonic >"$out/journal"
