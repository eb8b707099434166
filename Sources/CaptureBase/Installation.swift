// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The data files of the installation to which a program belongs.
package enum Installation {
    /// Returns the folders that can contain data files, in order of precedence; not all of them need exist.
    ///
    /// They are below the prefix of the program (`bin/PROGRAM` or `libexec/gst-capture/PROGRAM`), in the checkout in
    /// which it was built, and in the standard prefixes.
    ///
    /// - Parameters:
    ///   - name: The name of the folder in `share/gst-capture` and in the checkout.
    ///   - executable: The absolute path of the program; `nil` if it is not known.
    package static func folders(_ name: String, of executable: String?) -> [String] {
        besideProgram(name, executable) + ["/usr/local", "/usr"].map { share(name, in: $0) }
    }

    private static func besideProgram(_ name: String, _ executable: String?) -> [String] {
        guard let executable, executable.hasPrefix("/") else { return [] }
        let folder = DeviceFiles.folder(of: executable)
        let prefix = DeviceFiles.folder(of: folder)
        let checkout = sequence(first: folder) { $0.isEmpty ? nil : DeviceFiles.folder(of: $0) }
            .first { DeviceFiles.exists($0 + "/Package.swift") && DeviceFiles.exists("\($0)/\(name)") }
        return [share(name, in: prefix), share(name, in: DeviceFiles.folder(of: prefix))]
            + (checkout.map { ["\($0)/\(name)"] } ?? [])
    }

    private static func share(_ name: String, in prefix: String) -> String { "\(prefix)/share/gst-capture/\(name)" }
}
