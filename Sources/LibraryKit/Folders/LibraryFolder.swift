// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import LedgerKit

/// The folder of a library's index.
public enum LibraryFolder {
    /// Returns the folder `library` of a state folder, and creates both if they are missing. Blocks.
    ///
    /// - Parameter state: The state folder; `nil` for that of the user or of the service manager.
    /// - Throws: `CaptureError` if there is no state folder, or it cannot be created.
    public static func make(in state: String?) throws(CaptureError) -> String {
        let folder = try stateFolder(state) + "/library"
        try PrivateFolder.make(folder)
        return folder
    }

    /// Returns the folder for imported pictures in a state folder.
    public static func imports(in state: String?) throws(CaptureError) -> String {
        try stateFolder(state) + "/pictures/imports"
    }

    /// Returns the folder for albums in a state folder.
    public static func albums(in state: String?) throws(CaptureError) -> String {
        try stateFolder(state) + "/pictures/albums"
    }

    private static func stateFolder(_ state: String?) throws(CaptureError) -> String {
        guard let state = state.map(absolute) ?? ProgramFolders.state else {
            throw CaptureError(
                .configuration, "is not set, so the library has no folder", subject: "HOME", advice: "give --state")
        }
        return state
    }

    /// Returns the absolute path of a folder, without dots and a trailing slash.
    public static func absolute(_ path: String) -> String { LedgerPlace.absolute(path) }
}
#endif
