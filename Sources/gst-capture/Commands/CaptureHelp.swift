// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Help texts that several capture commands share.
enum CaptureHelp {
    /// How files are named.
    static let names = """
        File names take strftime's letters, such as %Y %m %d %H %M %S, and %n, the sequence number (%05n: five \
        digits). Folders are made. A \
        file is complete or not there at all, and none is replaced without --overwrite.
        """

    /// How a series handles a full disk and storage limits.
    static let storage = """
        While the disk is full, read-only or gone, pictures wait in memory (--hold, 64MiB), and are stored in order when \
        it is back; of more than that the newest are given up, each said. --keep-free, --max-size, --max-age and \
        --max-count are limits of a series, and count the pictures of those before it in the same ledger. At one of \
        them --on-limit stop ends it with status 74, prune removes the oldest pictures, and thin keeps every other, from \
        the oldest on (thin:4 every 4th). Only pictures that these series are known to have made, and that nobody \
        changed, are ever removed, and never the newest. --mount FOLDER stores only while something is mounted there.
        """

    /// How exposure and white balance follow the light.
    static let light = """
        Exposure and white balance are the camera's own (free) unless --lock freezes them, or --ramp lets them follow the \
        light a little from picture to picture. Exposure then goes by the brightness of pictures, towards what automatic \
        had settled on or --ramp-target, by --ramp-rate stops a picture at most (1/6, and 1/6 for each half minute between \
        pictures): first by time, up to that of a frame, then by gain. Less than 1/8 of a stop, and one picture unlike the \
        others, change nothing. White balance keeps the mean of red against blue, by 5 mired a picture at 1/6 of a stop. \
        A camera without such controls is left as it is, and a notice says so.
        """

    /// The syntax of layers.
    static let layers = """
        Layers are outlines, by name or file (face); text:%H:%M; dim:face; grid:thirds, golden, crosshair or centre; \
        ghost:FILE; image:FILE; letterbox:2.39. Behind each may be ;key=value with position, anchor, size, margin, color, \
        stroke, halo, halo-color, opacity, font, background and name: 'face;color=orange;size=80%'. Commas part layers; a \
        text goes to the end. In a text, {n}, {camera}, {offset} and {countdown} are filled in. --burn-in takes layers of \
        --overlay by their names, too.
        """

    /// When hooks run, and their variables.
    static let hooks = """
        Hooks are commands of the shell. --exec-before starts --exec-limit before its picture is due, or as early as there \
        is time, and ends when it is due; the first picture waits for it unless there is a --delay. --exec-after runs \
        when all pictures of a slot are safe on disk, one after the other; of more than 16 that wait the oldest are left \
        out. No picture waits for any of them. What they print goes to standard error. They are told by variables:
          CAPTURE_EVENT       before, after, lost or recovered
          CAPTURE_CAMERA      the id of the camera
          CAPTURE_SLOT        before, after: the number of the slot, from 0
          CAPTURE_CAUSE       before, after: schedule, or trigger where somebody asked for it
          CAPTURE_DUE         before, after: the moment, as in 2026-11-21T05:17:24.123+01:00
          CAPTURE_IN_MS       before: how long until then
          CAPTURE_FILE        after: the picture, by its whole path; of a burst the first
          CAPTURE_FILES       after: all of them, one a line
          CAPTURE_COUNT       after: how many there are
          CAPTURE_SEQUENCE    after: the number in the name
          CAPTURE_OFFSET_MS   after: how far the picture is from its moment
          CAPTURE_REASON      lost: why
          CAPTURE_AFTER_MS    recovered: how long it was gone
        """

    /// The events of `--json`.
    static let json = """
        With --json each line is an object with "event" and "at": opening, settled, upcoming, countdown, will-capture, \
        captured (slot, due, file, bytes, width, height, offset_ms, late, and with a ledger brightness, sharpness, sha256), \
        missed (slot, last_slot, count, due, reason), failed (slot, error), stalled, lost (error), recovering (attempt, next_ms, error), recovered (after_ms), \
        resting (slot, due), notice, storage (folder, free_bytes, used_bytes, left_s), storage-paused (held, error), \
        storage-resumed (stored), removed (files), error (code, status, subject, message, advice) and finished \
        (summary). Names stay; more may come.
        """
}
