// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Setting {
    /// All settings, in the order of help. A new setting needs an entry here and a property of ``CaptureSettings``.
    public static let all: [Setting] = [
        Setting("camera", \.camera, .text("id|path|scene|auto"), .camera, "The camera; auto takes the first."),
        Setting("source", \.source, .fragment("elements"), .camera, "GStreamer elements in place of a camera."),
        Setting("width", \.width, .integer("pixels", 1...16384), .camera, "The width of the camera's frames."),
        Setting("height", \.height, .integer("pixels", 1...16384), .camera, "The height of the camera's frames."),
        Setting("framerate", \.framerate, .frameRate, .camera, "Frames a second, such as 30, 29.97 or 15/2."),
        Setting("format", \.format, .pixelFormat("format"), .camera, "Pixel format such as YUY2 or NV12, or mjpeg."),
        Setting("decode", \.decode, .fragment("elements|auto"), .camera, "Elements that make raw video of the source."),
        Setting("settle", \.settle, .settle, .camera, "How long to wait for steady exposure: auto, off or a time."),
        Setting("controls", option: "set", \.controls, .controls, .camera, "Controls, such as brightness=128."),
        Setting("lock", \.lock, .set(of: .choice), .camera, "Controls to freeze once the picture is steady."),
        Setting("ramp", \.ramp, .set(of: .choice), .camera, "Controls that follow the light in small steps."),
        Setting("ramp-rate", \.rampRate, .stops, .camera, "Maximum stops (EV) from picture to picture: 1/6, or 0.2."),
        Setting("ramp-target", \.rampTarget, .brightness, .camera, "The mean brightness to keep, such as 45%."),
        Setting("flash", \.flash, .choice, .camera, "The flash LED; auto fires if the picture is dark."),
        Setting("flash-control", \.flashControl, .control, .camera, "A control in place of the flash LED: lamp=1."),
        Setting("standby", \.standby, .toggle, .camera, "Close the camera between pictures if there is time."),
        Setting("recover", \.recover, .recovery, .camera, "How long to retry opening a lost camera."),
        Setting(
            "history", option: nil, \.history, .kept, .camera,
            "Keep the frames of this time while the camera is open, for requests with at."),
        Setting(
            "stall-after", \.stallAfter, .duration(from: .milliseconds(100)), .camera,
            "The camera is lost after this long without a frame."),

        Setting("output", \.output, .text("name|-"), .picture, "File name with strftime fields and %n; - streams."),
        Setting("encoding", \.encoding, .encoding, .picture, "Encoding of pictures; by default that of the name."),
        Setting("quality", \.quality, .integer("1-100", 1...100), .picture, "JPEG and WebP quality."),
        Setting("live", \.live, .toggle, .picture, "Add the 3 seconds around each picture as a movie: a live photo."),
        Setting("rotate", \.rotate, .choice, .picture, "Turn pictures and preview clockwise, in degrees."),
        Setting("flip", \.flip, .choice, .picture, "Mirror pictures and preview, after turning."),
        Setting("overwrite", \.overwrite, .toggle, .picture, "Replace files that exist."),
        Setting("latest", \.latest, .text("link"), .picture, "A symbolic link that points to the newest picture."),
        Setting("burn-in", \.burnIn, .layers, .picture, "Layers to draw into the picture, written like an overlay's."),

        Setting("overlay", \.overlay, .layers, .preview, "Layers over the preview: face, text:%H:%M, grid:thirds."),
        Setting("appearance", \.appearance, .appearance, .preview, "How layers look, such as color=orange;stroke=6px."),

        Setting("delay", \.delay, .duration(), .moment, "Wait this long before the first picture, such as 10s."),
        Setting("countdown", \.countdown, .duration(), .moment, "Count the seconds before each picture."),
        Setting("at", \.at, .earlier, .moment, "Take the frame from before the trigger, such as -200ms."),
        Setting("burst", \.burst, .integer("frames", 1...1000), .moment, "Take this many frames in a row."),

        Setting("interval", \.interval, .duration(from: .milliseconds(1)), .series, "Time from picture to picture."),
        Setting("count", \.count, .integer("number", 1...1_000_000_000), .series, "Stop after this many pictures."),
        Setting("for", \.length, .duration(from: .milliseconds(1)), .series, "Stop this long after picture 1: 8h."),
        Setting("until", \.until, .wallClock, .series, "Stop at this time: 18:00, or 2026-12-24 18:00."),
        Setting("start", \.start, .wallClock, .series, "Begin at this time, and count intervals from it."),
        Setting("align", \.align, .toggle, .series, "Take pictures at multiples of the interval by the clock."),
        Setting("hours", \.hours, .hours, .series, "Only at these times: 08:00-18:00, or sunrise-30m..sunset."),
        Setting("days", \.days, .days, .series, "Only on these days, such as mon-fri,sun."),
        Setting("latitude", \.latitude, .latitude, .series, "The camera's latitude for sunrise: 52.52, or 33.87S."),
        Setting("longitude", \.longitude, .longitude, .series, "The camera's longitude for sunrise: 13.40, or 70.67W."),
        Setting("late-slots", \.lateSlots, .choice, .series, "Take late pictures, or skip and report them."),

        Setting("exec-before", \.execBefore, .script, .hooks, "Run this before each picture, such as a lamp switch."),
        Setting("exec-after", \.execAfter, .script, .hooks, "Run this when a picture is safe on disk: $CAPTURE_FILE."),
        Setting("exec-lost", \.execLost, .script, .hooks, "Run this when the camera is lost."),
        Setting("exec-recovered", \.execRecovered, .script, .hooks, "Run this when the camera is back."),
        Setting("exec-limit", \.execLimit, .duration(from: .milliseconds(1)), .hooks, "Time limit of a hook."),

        Setting("keep-free", \.keepFree, .freeSpace, .storage, "Leave this much of the disk free: 2GB, or 10%."),
        Setting("max-size", \.maxSize, .byteSize(), .storage, "Maximum total size of a series' pictures: 50GB."),
        Setting("max-age", \.maxAge, .duration(from: .seconds(1)), .storage, "Maximum age of a series' pictures: 30d."),
        Setting(
            "max-count", \.maxCount, .integer("number", 1...1_000_000_000), .storage,
            "Maximum number of a series' pictures."),
        Setting(
            "max-age-sent", \.maxAgeSent, .duration(from: .seconds(1)), .storage,
            "Remove sent pictures of a series that are older: 7d."),
        Setting("keep-unsent", \.keepUnsent, .toggle, .storage, "End at a limit rather than remove unsent pictures."),
        Setting("outbox", \.outbox, .text("file"), .storage, "The outbox that sends the pictures of a series."),
        Setting("outbox-state", \.outboxState, .text("folder"), .storage, "The state folder of its sender."),
        Setting("on-limit", \.onLimit, .limitPolicy, .storage, "At a limit: end, remove the oldest, or every other."),
        Setting(
            "hold", \.hold, .byteSize(from: 0, to: 1 << 40), .storage, "Memory for pictures that wait for the disk."),
        Setting("mount", \.mount, .text("folder"), .storage, "Store only while something is mounted there."),

        Setting("resume", \.resume, .toggle, .series, "Resume the series in the ledger."),
        Setting("ledger", \.ledger, .text("file|off"), .series, "The file of the series' ledger, or off."),

        Setting("preview-width", \.previewWidth, .integer("pixels", 1...16384), .preview, "Width of the preview."),
        Setting("preview-height", \.previewHeight, .integer("pixels", 1...16384), .preview, "Height of the preview."),
        Setting("preview-framerate", \.previewFramerate, .frameRate, .preview, "Frames a second of the preview."),
        Setting("mirror", \.mirror, .toggle, .preview, "Show the preview as a mirror does."),
        Setting("preview-sink", option: "sink", \.previewSink, .sink, .preview, "Where the preview is shown."),

        Setting(
            "video-size", option: "size", \.videoSize, .videoSize, .video,
            "Size of the video in pixels: 1280x720, 1280x or x720."),
        Setting(
            "video-fps", option: "fps", \.videoFramerate, .frameRate, .video, "Maximum frames a second of the video."),
        Setting(
            "video-codec", option: "codec", \.videoCodec, .word("auto|encoder", ["auto", "camera"]), .video,
            "Encoder of the video: auto, camera, or an element."),
        Setting("bitrate", \.bitrate, .bitRate, .video, "Bits a second of the video, such as 4M or 800k."),
        Setting("segment", \.segment, .duration(from: .seconds(1)), .video, "Begin another file after this time: 10m."),
        Setting(
            "audio", \.audio, .fragment("off|auto|device"), .video,
            "The microphone: off, auto, a device such as hw:1, or elements."),
        Setting("trigger", \.trigger, .toggle, .video, "Record only around triggers: SIGUSR1."),
        Setting("pre", \.pre, .duration(), .video, "Begin this long before a trigger: 5s."),
        Setting(
            "post", \.post, .duration(from: .milliseconds(100)), .video, "End this long after the last trigger: 10s."),
        Setting(
            "at-most", \.atMost, .duration(from: .seconds(1)), .video, "End a recording around triggers after this."),

        Setting("film", \.film, .choice, .film, "Make a film of each day while the series runs."),
        Setting("film-rate", \.filmRate, .frameRate, .film, "Pictures a second of the film: 30, or 12.5."),
        Setting("film-size", \.filmSize, .videoSize, .film, "Size of the film in pixels, such as 1280x720."),
        Setting(
            "film-gaps", \.filmGaps, .choice, .film, "Where pictures are missing: jump to the next, or hold the last."),
        Setting("film-deflicker", \.filmDeflicker, .toggle, .film, "Remove flicker from the film."),
        Setting("film-time", \.filmTime, .text("format"), .film, "Burn the time into the film, such as '%F %H:%M'."),
        Setting(
            "film-codec", \.filmCodec, .word("auto|encoder", ["auto"]), .film,
            "Encoder of the film: auto, or an element."),
        Setting("film-bitrate", \.filmBitrate, .bitRate, .film, "Bits a second of the film, such as 8M."),
        Setting("film-max-age", \.filmMaxAge, .duration(from: .seconds(86400)), .film, "Maximum age of films: 90d."),

        Setting("front", \.front, .text("camera"), .session, "The camera that looks at the user of a session."),
        Setting("back", \.back, .text("camera"), .session, "The camera that looks away from the screen."),
        Setting("role", \.role, .list(of: .text("role=camera")), .session, "The camera of another role, such as left."),
        Setting(
            "sound", \.sound, .text("on|off|elements"), .session, "Beeps: on, off, or elements that end in a sink."),
        Setting(
            "accelerometer", \.accelerometer, .accelerometer, .session,
            "Shake sensor besides the picture: auto, off, or its folder."),
        Setting("library", \.library, .list(of: .text("file|folder")), .session, "Pictures that the key b brings in."),
        Setting("move", \.move, .text("x,y"), .session, "Move these pictures right and down, in the outline's size."),
        Setting("zoom", \.zoom, .text("factor"), .session, "Show these pictures larger or smaller."),
        Setting("turn", \.turn, .text("degrees"), .session, "Turn these pictures clockwise."),
        Setting("auto", \.auto, .toggle, .session, "Run without a user: begin, take every picture, accept."),
        Setting("language", \.language, .text("tag"), .session, "The language of the texts, such as de."),
        Setting("loop", \.loop, .toggle, .session, "Begin again for the next person after each run."),
        Setting(
            "idle", \.idle, .duration(from: .seconds(5)), .session, "Cancel a session that nobody uses for this time."),
        Setting("field", \.field, .list(of: .text("name=value")), .session, "The value of a field of the session."),
        Setting(
            "exec-picture", \.execPicture, .script, .session, "Run this for each picture in place of exec-after."),
        Setting("exec-accepted", \.execAccepted, .script, .session, "Run this when the pictures are accepted."),

        Setting("mode", option: nil, \.mode, .choice, .command, "The command that a preset is made for."),
    ]
}
