// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Help texts that several capture commands share.
enum CaptureHelp {
    /// How files are named.
    static let names = """
        File names may contain strftime fields, such as %Y %m %d %H %M %S, and %n, the sequence number (%05n: five \
        digits). Missing folders are created. A file is complete or does not exist, and none is replaced without \
        --overwrite.
        """

    /// How a series handles a full disk and storage limits.
    static let storage = """
        While the disk is full, read-only or gone, pictures wait in memory (--hold, 64MiB), and are stored in order \
        when it is back; if this memory is full, the newest are dropped, and each is reported. --keep-free, \
        --max-size, --max-age and --max-count are limits of a series; pictures of earlier series in the same ledger \
        count, too. At a limit, --on-limit stop ends the series with status 74, prune removes the oldest pictures, and \
        thin keeps every other, from the oldest on (thin:4 every 4th). Only unchanged pictures that are known to be of \
        these series are ever removed, and never the newest. With the outbox of --outbox, or that which gst-capture \
        outbox uses, --max-age-sent removes sent pictures, and prune removes them before unsent ones, which \
        --keep-unsent keeps: the series then ends at the limit. --mount FOLDER stores only while something is mounted \
        there.
        """

    /// How exposure and white balance follow the light.
    static let light = """
        The camera sets exposure and white balance itself unless --lock freezes them, or --ramp adjusts them a little \
        from picture to picture. A ramp of exposure follows the brightness of pictures, toward that of automatic \
        exposure or --ramp-target, by at most --ramp-rate stops a picture (1/6, and 1/6 for each half minute between \
        pictures): first by time, up to that of a frame, then by gain. It ignores less than 1/8 of a stop, and one \
        picture that differs from the others. A ramp of white balance keeps the mean of red against blue, by 5 mired a \
        picture at 1/6 of a stop. A camera without such controls is left unchanged, with a notice.
        """

    /// The syntax of layers.
    static let layers = """
        Layers are outlines, by name or file (face); text:%H:%M; dim:face; grid:thirds, golden, crosshair or center; \
        ghost:FILE; image:FILE; letterbox:2.39. Each may end with ;key=value pairs for position, anchor, size, margin, \
        color, stroke, halo, halo-color, opacity, font, background and name: 'face;color=orange;size=80%'. Commas \
        separate layers; a text extends to the end. In a text, {camera} and {countdown} are replaced by their values, \
        in pictures also {n} and {offset}. --burn-in also accepts the names of layers in --overlay.
        """

    /// When hooks run, and their variables.
    static let hooks = """
        Hooks are shell commands. --exec-before starts --exec-limit before its picture is due, or as early as it can, \
        and is ended when the picture is due; the first picture waits for it unless there is a --delay. --exec-after \
        runs when all pictures of a slot are safe on disk, live photos with their movies, one run after the other; if more than 16 are pending, the \
        oldest are dropped. No other picture waits for a hook. Hooks print to standard error, and get variables:
          CAPTURE_EVENT       before, after, lost or recovered
          CAPTURE_CAMERA      the id of the camera; empty for a picture of a library
          CAPTURE_SLOT        before, after: the number of the slot, from 0
          CAPTURE_CAUSE       before, after: schedule, or trigger for a requested picture
          CAPTURE_DUE         before, after: the moment, as in 2026-11-21T05:17:24.123+01:00
          CAPTURE_IN_MS       before: how long until then
          CAPTURE_FILE        after: the picture, by its whole path; of a burst the first
          CAPTURE_FILES       after: all of them, one a line
          CAPTURE_COUNT       after: how many there are
          CAPTURE_SEQUENCE    after: the number in the name
          CAPTURE_OFFSET_MS   after: how far the picture is from its moment
          CAPTURE_STAGE       before, after in a session: the name of the stage
          CAPTURE_CROP        after in a session: the crop, by its whole path; empty for none
          CAPTURE_REASON      lost: why
          CAPTURE_AFTER_MS    recovered: how long it was gone
        A session sets no CAPTURE_SLOT, and CAPTURE_DUE for before alone.
        """

    /// The events of `--json` that ``JSONEventPrinter`` prints. The help of `preview` adds those of a preview alone.
    static let json = """
        With --json each line is an object with "event" and "at": opening, settled, upcoming, countdown, will-capture, \
        captured (slot, due, file, bytes, width, height, offset_ms, late, and with a ledger brightness, sharpness, \
        sha256), live-photo (slot, due, file, movie, bytes), missed (slot, last_slot, count, due, reason), failed (slot, error), stalled, lost (error), recovering \
        (attempt, next_ms, error), recovered (after_ms), resting (slot, due), notice (code, subject, message), film (file, frames, lacks, duration_ms, bytes), storage \
        (folder, free_bytes, used_bytes, left_s), storage-paused (held, error), storage-resumed (stored), removed \
        (files), error (code, status, subject, message, advice) and finished (summary). --dry-run prints plan \
        (pipeline, schedule, output and others). Names are stable; new ones may be added.
        """
}
