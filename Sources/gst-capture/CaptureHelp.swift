// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What the help of both kinds of capture says.
enum CaptureHelp {
    /// How files are named.
    static let names = """
        File names take strftime's letters, such as %Y %m %d %H %M %S, and %n, the sequence number (%05n: five \
        digits). Folders are made. A \
        file is complete or not there at all, and none is replaced without --overwrite.
        """

    /// What programs get.
    static let json = """
        With --json each line is an object with "event" and "at": opening, settled, countdown, will-capture, captured \
        (slot, due, file, bytes, width, height, offset_ms, late), missed (slot, due, reason), failed (slot, error), \
        stalled, notice, error (code, status, subject, message, advice) and finished (summary). Names stay; more may \
        come.
        """
}
