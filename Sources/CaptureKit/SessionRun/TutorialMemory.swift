// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Remembers which tutorials somebody has seen, as empty files in a folder. Every call blocks.
public struct TutorialMemory: Sendable, Hashable {
    /// The folder; it need not be there yet.
    public let folder: String

    /// Remembers in this folder.
    public init(folder: String) { self.folder = folder }

    /// Where programs keep what is the user's and not worth a backup: `$XDG_STATE_HOME/gst-capture/tutorials`.
    ///
    /// - Parameter variable: Reads a variable of the environment.
    /// - Returns: `nil` where there is no such place.
    public static func standard(_ variable: (String) -> String?) -> TutorialMemory? {
        let state = variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
        return (state ?? home).map { TutorialMemory(folder: $0 + "/gst-capture/tutorials") }
    }

    /// True where the tutorial of this session was seen, or skipped.
    func knows(_ session: String) -> Bool { DeviceFiles.exists(path(session)) }

    /// Remembers that it was. Where that fails, it is shown once more: nothing is lost.
    func remember(_ session: String) {
        try? StillFolder.make(folder)
        let file = open(path(session), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        if file >= 0 { close(file) }
    }

    /// A name has no slash; one that came from elsewhere may.
    private func path(_ session: String) -> String { folder + "/" + session.replacing("/", with: "_") }
}
