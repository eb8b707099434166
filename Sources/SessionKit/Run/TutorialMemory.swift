// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc

/// Remembers which tutorials the user knows, as empty files in a folder. Only a session reads and writes the folder.
public struct TutorialMemory: Sendable, Hashable {
    /// The folder, which need not exist yet.
    public let folder: String

    /// Creates a memory in this folder.
    public init(folder: String) { self.folder = folder }

    /// Returns the memory in the user's folder for state: `$XDG_STATE_HOME/gst-capture/tutorials`, or
    /// `$HOME/.local/state/gst-capture/tutorials` if the first variable is not an absolute path.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    /// - Returns: `nil` if neither `XDG_STATE_HOME` nor `HOME` is an absolute path.
    public static func standard(_ variable: (String) -> String?) -> TutorialMemory? {
        let state = variable("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = variable("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
        return (state ?? home).map { TutorialMemory(folder: $0 + "/gst-capture/tutorials") }
    }

    /// Returns `true` if the user has seen or skipped the tutorial of this session. It blocks.
    func knows(_ session: String) -> Bool { DeviceFiles.exists(path(session)) }

    /// Remembers that the user knows the tutorial. If that fails, the tutorial is shown again. It blocks.
    func remember(_ session: String) {
        try? StillFolder.make(folder)
        let file = open(path(session), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        if file >= 0 { close(file) }
    }

    /// The name of a session's file has no slash; a name that a program gives may have one.
    private func path(_ session: String) -> String { folder + "/" + session.replacing("/", with: "_") }
}
