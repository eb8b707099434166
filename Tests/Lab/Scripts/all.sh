# Part of gst-capture. Apache License 2.0, see LICENSE.
# shellcheck shell=bash
#
# all.sh COMMAND REGISTRY PART..., inside the lab: runs the steps of the parts that need cameras.

scripts=$(dirname "$0")
# Mounts the command's folder at a path that every user of the machine can enter, wherever it was built.
mkdir -p /opt/command
mount --bind "$(dirname "$1")" /opt/command
gst_capture=/opt/command/$(basename "$1")
registry=$2
# The service finds the files of the page above the folder in which it was built.
project=$(realpath "$scripts/../../..")
mkdir -p /opt/project
mount --bind "$project" /opt/project
# shellcheck disable=SC2034 # page.sh uses it.
built=/opt/project/$(dirname "${1#"$project/"}")
# shellcheck disable=SC2034 # usb.sh and sound.sh use them.
uvc_camera=/opt/command/uvc-camera sound_loop=/opt/command/sound-loop

# Shares one plugin registry among all users, so that no user has to build another. This machine takes a while to build
# one: it starts with that of the host, whose plugins are the same.
export GST_REGISTRY=/var/tmp/gst-registry.bin
cp "$registry" "$GST_REGISTRY"
export G_DEBUG=fatal-criticals
# In this machine the next frame can take seconds. Steps with a stall set another limit.
export GST_CAPTURE_STALL_AFTER=60s
gst-inspect-1.0 fakesink >/dev/null
chmod a+r "$GST_REGISTRY"

# shellcheck source=Tests/Lab/Scripts/steps.sh
source "$scripts/steps.sh"
for part in "${@:3}"; do
    now part_began
    case $part in
    command)
        # First the lab itself, then the command.
        # shellcheck source=Tests/Lab/Scripts/smoke.sh
        source "$scripts/smoke.sh"
        # shellcheck source=Tests/Lab/Scripts/command.sh
        source "$scripts/command.sh"
        ;;
    faults)
        # shellcheck source=Tests/Lab/Scripts/faults.sh
        source "$scripts/faults.sh"
        ;;
    sessions)
        # shellcheck source=Tests/Lab/Scripts/sessions.sh
        source "$scripts/sessions.sh"
        ;;
    service)
        # shellcheck source=Tests/Lab/Scripts/service.sh
        source "$scripts/service.sh"
        ;;
    page)
        # shellcheck source=Tests/Lab/Scripts/page.sh
        source "$scripts/page.sh"
        ;;
    sound)
        # shellcheck source=Tests/Lab/Scripts/sound.sh
        source "$scripts/sound.sh"
        ;;
    usb)
        # shellcheck source=Tests/Lab/Scripts/usb.sh
        source "$scripts/usb.sh"
        # shellcheck source=Tests/Lab/Scripts/card.sh
        source "$scripts/card.sh"
        ;;
    esac
    finish_records
    print_part "${part_began:?}" "$part"
done
