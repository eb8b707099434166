# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# tests.sh PROJECT [TARGET...], in a machine of the lab for arm64: runs the tests of `make arm64` that keep no time, one
# target after the other, or only those of these targets. It prints a line for each target, also for those that are left
# out, with the reason.

project=$1
program=$project/.build-arm64/debug/gst-capturePackageTests.xctest
out=${CAMERA_LAB_OUT:?}
targets=(
    SystemBase CaptureBase ScheduleKit FrameMeasures LedgerKit PresetKit SessionModel StillKit FrameLink LayerKit
    RasterConfinement OutlineElement CameraKit AccessKit AnalyticsKit MQTTKit HomeAssistantKit TerminalKit
    ConnectionKit MetricsKit ServiceModel DeliveryKit UploadKit ClipList ClipStore LibraryKit LibraryFeed VideoKit
    CropKit OverlayRaster OverlayCompositor
)
# Suites that are left out of a target, and the reasons.
declare -A slow=(
    [CropKit]='CardPhotographTests|.?(The edges of a card|A picture of a library|A still cropped|A crop from hostile)'
    [OverlayCompositor]='.?(An overlay.?/|A frame with crop metadata)'
    [CameraKit]='NetworkProbeTests'
    [DeliveryKit]='AnalyticsSenderTests/(separate|refused|pause)'
    [VideoKit]='VideoEncoderTests|EncoderCatalogTests|SoundSourceTests|SoundEncoderTests|KilledClipTests|HostileClipTests'
)
declare -A why=(
    [CropKit]='minutes of arithmetic each'
    [OverlayCompositor]='live frames, which an emulated machine delivers too slowly'
    [CameraKit]='an answer within a second, which an emulated machine gives later'
    [DeliveryKit]='Python, which the machine lacks'
    [VideoKit]='live frames and sound, and minutes of arithmetic'
)
declare -A left_out=(
    [PipelineKit]='live pipelines, which an emulated machine runs too slowly'
    [CaptureKit]='live frames, which an emulated machine delivers too slowly'
    [GateKit]='live frames, which an emulated machine delivers too slowly'
    [SessionKit]='live frames, which an emulated machine delivers too slowly'
    [ServiceKit]='live frames, which an emulated machine delivers too slowly'
    [ServeKit]='live frames, which an emulated machine delivers too slowly'
    [ClipKit]='live frames, which an emulated machine delivers too slowly'
    [HookKit]='commands within a time, which an emulated machine starts too slowly'
    [TransferKit]='needs the servers of make test'
    [Command]='starts the command hundreds of times; the board checks it with its packages'
    [Serve]='starts the service hundreds of times; the board checks it with its packages'
    [Lab]='starts machines of the lab'
)

# The tests find their files at the path at which they were built.
[[ -e /project ]] || ln -s "$project" /project
cd /project || exit
# Some tests start programs without an environment.
ln -sf /project/.build-arm64/swift/*.so /usr/lib/aarch64-linux-gnu/
export LD_LIBRARY_PATH=/project/.build-arm64/swift
# The root lacks the schemas that the proxy settings of GNOME need.
export GIO_USE_PROXY_RESOLVER=dummy
export HOME=/tmp GST_REGISTRY=/tmp/registry.bin G_DEBUG=fatal-criticals SWIFT_BACKTRACE=enable=no GST_CAPTURE_SOCKET=
gst-inspect-1.0 fakesink >/dev/null
# The root was unpacked, and its packages were not configured: gdk-pixbuf finds no loader without these two.
update-mime-database /usr/share/mime
/usr/lib/aarch64-linux-gnu/gdk-pixbuf-2.0/gdk-pixbuf-query-loaders --update-cache

# run_target NAME: runs the tests of a target, and reports their number.
run_target() {
    local log=$out/$1.log status=0 summary skip=()
    [[ -z ${slow[$1]:-} ]] || skip=(--skip "^$1Tests\.(${slow[$1]})")
    timeout 1500 "$program" --testing-library swift-testing --filter "^$1Tests\." "${skip[@]}" >"$log" 2>&1 </dev/null ||
        status=$?
    summary=$(sed -n 's/.*Test run with \([0-9]* tests\{0,1\} .*\)/\1/p' "$log" | tail -1)
    if [[ $status -eq 0 && $summary && $summary != 0\ * ]]; then
        echo "ok: tests of $1: $summary"
    else
        echo "failed: tests of $1: status $status, ${summary:-no summary}; see $1.log"
    fi
}

if [[ $# -gt 1 ]]; then targets=("${@:2}"); fi
for target in "${targets[@]}"; do run_target "$target"; done
[[ $# -eq 1 ]] || exit 0
for target in "${!slow[@]}"; do
    names=${slow[$target]//[.?()]/}
    echo "left out: ${names//|/, } of $target: ${why[$target]}"
done
for target in "${!left_out[@]}"; do echo "left out: tests of $target: ${left_out[$target]}"; done | sort
