// Part of gst-capture. Apache License 2.0, see LICENSE.

extension FilmOptions {
    /// The help of the command.
    package static let discussion = """
        Examples:
          gst-capture film /srv/garden -o garden.mp4
          gst-capture film /srv/garden -o day.mp4 --since 2026-11-21 --until 2026-11-22 --length 20s
          gst-capture film ~/frames --rate 12.5 --gaps hold --deflicker --time
          gst-capture film ~/phone --size 1280x720 --fill --order time --camera 'Apple iPhone 15'
          gst-capture film --album 'Garden 2026' -o garden.mp4
          gst-capture film ~/frames --dry-run                   what is missing, damaged or unusual

        Pictures are JPEG and PNG files of any size and orientation: they are turned upright and scaled to the film. \
        Files that are no pictures, and damaged ones, are skipped and listed; numbers and times may be missing. The \
        report names gaps, other sizes, several cameras, and pictures before which the clock was set back.

        The film plays while it grows. After a crash, or Ctrl-C, the same command continues it with the next picture, \
        and the film is the same as without the interruption; a hidden file beside it, .NAME.film, lists what is in \
        it. Memory does not grow with the number of pictures.

        With --json each line is an object with "event" and "at": plan (of --dry-run), encoding (width, height, \
        encoder), resumed (pictures), restarted, progress (phase, pictures, of, left_ms), saved (pictures), \
        skipped (file, reason), error, and finished (source, file, complete, frames, duration_ms, rate, width, height, bytes, encoder, \
        left_out, untimed, skipped, gaps, clock_set_back, cameras, sizes).
        """
}
