// Part of gst-capture. Apache License 2.0, see LICENSE.

import SystemBase

/// The copies of a program on this machine. A package installs into `/usr` and `make install` into `/usr/local`; shells and
/// systemd each use the first copy that they find, without a word about the other.
package struct InstalledCopies: Sendable {
    /// A systemd unit that starts one of the copies.
    package struct Unit: Sendable, Equatable {
        package let name: String
        /// The program that its `ExecStart=` starts.
        package let program: String
    }

    /// The folders in which systemd searches for units, in its order.
    package static let unitFolders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// The paths of the copies, first the one that a shell starts. Links to the same file count once.
    package let programs: [String]
    /// The units that systemd uses.
    package let units: [Unit]

    /// Finds the copies of a program.
    ///
    /// - Parameters:
    ///   - name: The name of the program.
    ///   - path: The folders that a shell searches, with colons between them (`PATH`).
    ///   - units: The names of units that start the program.
    ///   - unitFolders: The folders of units, in order of precedence.
    package init(of name: String, path: String, units: [String], unitFolders: [String] = Self.unitFolders) {
        let folders = path.split(separator: ":").map(String.init) + ["/usr/local/bin", "/usr/bin"]
        var (programs, files): ([String], Set<String>) = ([], [])
        for program in folders.map({ "\($0)/\(name)" }) where InstalledProgram.canRun(program) {
            guard let file = DeviceFiles.canonical(program), files.insert(file).inserted else { continue }
            programs.append(program)
        }
        self.programs = programs
        self.units = units.compactMap { unit in
            let file = unitFolders.lazy.map { "\($0)/\(unit)" }.first(where: DeviceFiles.exists)
            return file.flatMap(Self.program).map { Unit(name: unit, program: $0) }
        }
    }

    /// The conflicts between the copies, in words; empty if each finds the program that the others find.
    ///
    /// - Parameter running: The path of the program that asks. It may be outside of the folders that shells search, such
    ///   as in a checkout: then it has no conflict with an installed copy.
    package func conflicts(running: String) -> [String] {
        let file = DeviceFiles.canonical(running)
        guard programs.contains(where: { DeviceFiles.canonical($0) == file }) else { return [] }
        let hidden = programs.dropFirst().map { "\(programs[0]) hides \($0)" }
        return hidden
            + units.filter { DeviceFiles.canonical($0.program) != file }.map { "\($0.name) starts \($0.program)" }
    }

    private static func program(ofUnit file: String) -> String? {
        let lines = String(decoding: DeviceFiles.content(file) ?? [], as: UTF8.self).split(separator: "\n")
        let command = lines.lazy.compactMap { $0.hasPrefix("ExecStart=/") ? $0.dropFirst(10) : nil }.first
        return command.map { String($0.prefix { $0 != " " }) }
    }
}
