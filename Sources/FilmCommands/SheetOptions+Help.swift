// Part of gst-capture. Apache License 2.0, see LICENSE.

extension SheetOptions {
    /// The help of the command.
    package static let discussion = """
        Examples:
          gst-capture sheet /srv/garden -o garden.jpg
          gst-capture sheet /srv/garden --since 2026-11-21 --until 2026-11-22 --caption name
          gst-capture sheet /srv/garden --every 1h              one picture an hour
          gst-capture sheet ~/phone --most 0 --columns 6        all, on sheet.jpg, sheet-2.jpg and so on
          gst-capture sheet --album 'Garden 2026' -o garden.png
          gst-capture sheet ~/frames --dry-run                  what is missing, damaged or unusual

        A contact sheet shows pictures in a grid, with their times below. The first line has the title, the first and \
        the last day, and the number of pictures; the last one tells how many pictures are missing and how many files \
        were skipped.

        Pictures are chosen evenly by time, always with the first and the last. They are turned upright and keep their \
        shape. Files that are no pictures, and damaged ones, are skipped and listed. A sheet is complete or does not \
        exist, and no file is replaced without --overwrite. Memory does not grow with the number of pictures.

        With --json each line is an object with "event" and "at": plan (of --dry-run), progress (phase, pictures, of, \
        left_ms), skipped (file, reason), written (file, pictures), error, and finished (source, files, complete, \
        pictures, of, sheets, columns, width, height, bytes, left_out, untimed, skipped, gaps, clock_set_back, cameras, \
        sizes).
        """
}
