# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# power.sh CUT: checks the pictures and ledgers after a power cut (from 1 on; 0 before the first), and then keeps two
# series and sessions busy until the host cuts the power. Pictures that are reported go to the output folder at once,
# which is outside of the machine: `names` of gst-capture@garden, `events` and `answers` of the service.

# shellcheck source=Tests/Board/machine/report.sh
source "$(dirname "$0")/report.sh"
cut=$1

# Prints the SHA-256 of each picture that the service reported, in events or in responses.
reported_sums() {
    { sed 's/^data: //' "$out"/events-*; cat "$out"/answers-*; } 2>/dev/null |
        jq -rR 'fromjson? | (.sha256?, .picture?.sha256?, .stills?[0]?.sha256?) // empty' | sort -u
}

# Prints the reported pictures that are lost or changed. The reports are read first: the series go on meanwhile.
lost_pictures() {
    local name sums
    sums=$(reported_sums)
    cat "$out"/names-* 2>/dev/null | grep '^[0-9]*\.jpg$' | while read -r name; do
        [[ -s $garden/$name ]] || echo "$garden/$name"
    done
    comm -23 <(echo "$sums") <(find "$pictures" -name '*.jpg' -exec sha256sum {} + | cut -d' ' -f1 | sort -u)
}

# Reports the account of all cuts until now.
check_cut() {
    local folder texts='' whole=0 missing reported
    until_true are_active "${units[@]}" && await_pictures 1 "${folders[@]}" || whole=1
    report $whole "cut $cut: both series resume by themselves"
    whole=0
    for folder in "${folders[@]}"; do
        account "$folder" || whole=1
        texts+="${texts:+; }$figures"
    done
    report $whole "cut $cut: the ledgers are complete ($texts)"
    missing=$(lost_pictures)
    reported=$(($(reported_sums | wc -l) + $(cat "$out"/names-* | grep -c '^[0-9]*\.jpg$')))
    [[ ! $missing ]]
    report $? "cut $cut: $reported reported pictures are there${missing:+, but not these: ${missing//$'\n'/ }}"
    whole_pictures
    report $? "cut $cut: all $(pictures_in $pictures) pictures can be decoded"
}

# The unfinished run of the session is resumed; without one, a new run begins.
run_session() {
    local run
    run=$(curl --silent $api/sessions/visit/runs | jq -r 'first(.runs[] | select(.state == "open") | .id) // empty')
    curl --silent --show-error --fail --output /dev/null --request POST "$api/sessions/visit/start${run:+?run=$run}"
}

# Captures pictures on request, and runs sessions one after the other.
keep_busy() {
    until_true answers
    while :; do
        run_session
        curl --silent --request POST $api/cameras/front/snap >>"$out/answers-$cut"
        echo >>"$out/answers-$cut"
        sleep 1
        # Accepted when all its pictures are there; refused until then.
        curl --silent --output /dev/null --request POST $api/sessions/visit/accept
    done
}

until_true answers
{ while :; do curl --silent --no-buffer "$api/events"; sleep 1; done >"$out/events-$cut"; } &
journalctl --boot --follow --lines all --output cat --unit gst-capture@garden >"$out/names-$cut" &
((cut == 0)) || check_cut
keep_busy 2>"$out/busy-$cut" &
# The host waits for this line, and cuts the power some seconds later.
echo "busy $cut"
wait
