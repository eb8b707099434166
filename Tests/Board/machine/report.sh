# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# Functions that the scripts in the machine share: waiting, reporting, and the accounts of series. They run as root in a
# machine of camera-lab whose process 1 is systemd.
# shellcheck disable=SC2034 # The scripts use the variables.

out=${CAMERA_LAB_OUT:?}
# The folder of all pictures, and the ledgers of the two series: of gst-capture@garden, and of the service.
pictures=/var/lib/gst-capture
garden=$pictures/garden second=$pictures/second
folders=("$garden" "$second") units=(gst-capture@garden.service gst-capture-serve.service)
api=http://127.0.0.1:8080/api/v1
# The longest wait, in seconds of the machine's clock.
patience=300

# wanted CHECK: succeeds if the run has this check. Without a list it has all.
wanted() { [[ ! ${CHECKS:-} || " $CHECKS " == *" $1 "* ]]; }

# report STATUS TEXT: prints the line of a check.
report() { if (($1 == 0)); then echo "ok: $2"; else echo "failed: $2"; fi; }

# now NAME: sets the variable to the hundredths of a second since the machine started.
now() {
    local up
    read -r up _ </proc/uptime
    printf -v "$1" '%d' "$((10#${up/./}))"
}

# since BEGAN: sets `seconds` to the time since then.
since() {
    local ended
    now ended
    printf -v seconds '%d.%d' $(((ended - $1) / 100)) $(((ended - $1) / 10 % 10))
}

# until_true COMMAND...: waits until the command succeeds, for `patience` seconds at most.
until_true() {
    local limit=$((SECONDS + patience))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < limit)) || return
        sleep 0.3
    done
}

# --- Units ------------------------------------------------------------------------------------------------------------

are_active() { systemctl --quiet is-active "$@"; }
main_process() { systemctl show --property MainPID --value "$1"; }

# is_replaced UNIT PROCESS: succeeds if the unit is active with another process.
is_replaced() { are_active "$1" && [[ $(main_process "$1") != "$2" && $(main_process "$1") != 0 ]]; }

answers() { curl --silent --fail --max-time 60 --output /dev/null http://127.0.0.1:8080/healthz; }

# --- Series -----------------------------------------------------------------------------------------------------------

pictures_in() { find "$1" -name '*.jpg' | wc -l; }
has_more_pictures() { (($(pictures_in "$1") > $2)); }

# await_pictures COUNT FOLDER...: waits until each folder has this many more pictures.
await_pictures() {
    local folder limits=() number=0
    for folder in "${@:2}"; do limits+=($(($(pictures_in "$folder") + $1 - 1))); done
    for folder in "${@:2}"; do
        until_true has_more_pictures "$folder" "${limits[number++]}" || return
    done
}

# A changed interval begins a new series in the ledger, which may continue the numbers of the earlier one.
# account FOLDER: sets `captured`, `lost` (slots without a picture) and `unaccounted` (slots that the ledger lacks) of a
# series, and `figures`, a text of them. Fails if a picture is not as the ledger says.
account() {
    read -r captured lost unaccounted < <(gst-capture ledger "$1" --json --limit 0 | jq -rs '
        map(select(.cause == "schedule")) | [
            (map(select(.outcome == "captured")) | length),
            ([.[] | select(.outcome != "captured") | .last_slot - .slot + 1] | add // 0),
            (group_by(.series)
                | map((map(.last_slot) | max) - (map(.slot) | min) + 1
                    - ([.[] | range(.slot; .last_slot + 1)] | unique | length))
                | add // 0)
        ] | map(tostring) | join(" ")')
    figures="${1##*/}: $captured pictures, $lost slots without one, $unaccounted unaccounted"
    gst-capture ledger "$1" --verify >"$out/verdict" 2>&1 && ((unaccounted == 0))
}

# whole_pictures: succeeds if every picture of the machine can be decoded.
whole_pictures() {
    find "$pictures" -name '*.jpg' -print0 | xargs -0 --no-run-if-empty jpeginfo --check >"$out/damaged"
}
