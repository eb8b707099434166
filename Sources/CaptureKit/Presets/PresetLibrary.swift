// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc

/// Finds presets by name: in the working folder's `pipelines`, the user's, the machine's, and the installed ones.
public struct PresetLibrary: Sendable {
    /// A preset that was found, or what is wrong with it.
    public struct Entry: Sendable {
        /// The file's name without its ending.
        public let name: String
        /// The file.
        public let path: String
        /// What it says.
        public let preset: Result<Preset, CaptureError>
    }

    /// Where presets are looked for; the first of a name wins.
    public let folders: [String]

    /// Looks where presets are by default.
    public init() {
        let home = Self.variable("HOME").map { "\($0)/.config" }
        let user = (Self.variable("XDG_CONFIG_HOME") ?? home).map { ["\($0)/gst-capture"] } ?? []
        self.init(folders: ["pipelines"] + user + ["/etc/gst-capture"] + Self.installed())
    }

    /// Looks in these folders.
    public init(folders: [String]) { self.folders = folders }

    /// All that can be found, by name.
    public var entries: [Entry] {
        var seen = Set<String>()
        let paths = folders.flatMap { folder in Self.files(in: folder).map { "\(folder)/\($0)" } }
        return paths.filter { seen.insert(PresetReader.name(of: $0)).inserted }
            .map { Entry(name: PresetReader.name(of: $0), path: $0, preset: Self.read($0)) }
            .sorted { $0.name < $1.name }
    }

    /// The preset of a name, or in a file where the text has a slash or ends in `.yaml`.
    ///
    /// - Throws: ``CaptureError`` of kind `noInput` where there is none, or `configuration` with line and column.
    public func preset(_ text: String) throws(CaptureError) -> Preset {
        if text.contains("/") || text.hasSuffix(".yaml") { return try Self.read(text).get() }
        for folder in folders where access("\(folder)/\(text).yaml", F_OK) == 0 {
            return try Self.read("\(folder)/\(text).yaml").get()
        }
        let names = folders.flatMap(Self.files).map(PresetReader.name)
        let near = Spelling.nearest(to: text, among: names).map { "did you mean \($0)?" }
        throw CaptureError(
            .noInput, "there is no such preset", subject: text, advice: near ?? "see gst-capture presets")
    }

    private static func read(_ path: String) -> Result<Preset, CaptureError> {
        Result { () throws(CaptureError) in try PresetReader(path: path).read(try text(path)) }
    }

    /// Reads an ordinary file: never a pipe, which may block, nor a device, which may not end.
    private static func text(_ path: String) throws(CaptureError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw CaptureError(
                errno == EACCES ? .permission : .noInput, "cannot be read: \(String(cString: strerror(errno)))",
                subject: path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CaptureError(.noInput, "is no file", subject: path)
        }
        var bytes = [UInt8](repeating: 0, count: PresetReader.sizeLimit + 1)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw CaptureError(.inputOutput, "cannot be read", subject: path) }
        guard let text = String(validating: bytes[..<count], as: UTF8.self) else {
            throw CaptureError(.configuration, "is not UTF-8", subject: path)
        }
        return text
    }

    private static func files(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".yaml"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Beside the program where it is installed, and in the checkout that it was built in.
    private static func installed() -> [String] {
        guard let program = realpath("/proc/self/exe", nil) else { return [] }
        defer { free(program) }
        var folder = StillStore.folder(of: String(cString: program))
        var folders = ["\(StillStore.folder(of: folder))/share/gst-capture/pipelines"]
        while folder != "/", folder.contains("/.build") { folder = StillStore.folder(of: folder) }
        folders.append("\(folder)/pipelines")
        return folders + ["/usr/local/share/gst-capture/pipelines", "/usr/share/gst-capture/pipelines"]
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
