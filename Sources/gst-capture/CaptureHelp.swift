// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What the help of both kinds of capture says.
enum CaptureHelp {
    /// How files are named.
    static let names = """
        File names take strftime's letters, such as %Y %m %d %H %M %S, and %n, the sequence number (%05n: five \
        digits). Folders are made. A \
        file is complete or not there at all, and none is replaced without --overwrite.
        """

    /// How layers are written.
    static let layers = """
        Layers are outlines, by name or file (face); text:%H:%M; dim:face; grid:thirds, golden, crosshair or centre; \
        ghost:FILE; image:FILE; letterbox:2.39. Behind each may be ;key=value with position, anchor, size, margin, color, \
        stroke, halo, halo-color, opacity, font, background and name: 'face;color=orange;size=80%'. Commas part layers; a \
        text goes to the end. In a text, {n}, {camera}, {offset} and {countdown} are filled in. --burn-in takes layers of \
        --overlay by their names, too.
        """

    /// What programs get.
    static let json = """
        With --json each line is an object with "event" and "at": opening, settled, countdown, will-capture, captured \
        (slot, due, file, bytes, width, height, offset_ms, late; with a ledger brightness, sharpness, sha256), missed (slot, last_slot, count, due, reason), failed \
        (slot, error), stalled, notice, error (code, status, subject, message, advice) and finished (summary). Names \
        stay; more may come.
        """
}
