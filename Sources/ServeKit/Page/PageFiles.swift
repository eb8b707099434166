// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import OverlayCompositor
import PresetKit
import ServiceKit
import SystemBase

/// The files of the web page, read once. Their addresses contain a hash of all of them, so that a browser keeps them
/// until one changes.
struct PageFiles: Sendable {
    /// A file with its media type.
    struct File: Sendable {
        let bytes: [UInt8]
        let type: String
    }

    /// A hash of all files.
    let hash: String
    /// The page before the paths of its references.
    private let text: String
    /// The style of outlines that the theme sets.
    let outlines: Style
    private let files: [String: File]

    private static let folderName = "page"
    private static let indexName = "index.html"
    private static let mostBytes = 1 << 20
    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png",
    ]

    /// Reads the files of the installation; `nil` if they are not installed. Blocks.
    ///
    /// - Throws: The error of the theme or the logo of the configuration.
    static func installed(_ look: ServicePage) throws(CaptureError) -> PageFiles? {
        let own = try OwnLook(look)
        let folders = Installation.folders(folderName, of: DeviceFiles.canonical("/proc/self/exe"))
        guard let folder = folders.first(where: { DeviceFiles.exists("\($0)/\(indexName)") }) else { return nil }
        return PageFiles(folder: folder, own)
    }

    /// Reads the files of a folder; `nil` if one cannot be read. Blocks.
    private init?(folder: String, _ own: OwnLook) {
        guard var page = Self.read("\(folder)/\(Self.indexName)").map({ String(decoding: $0, as: UTF8.self) }) else {
            return nil
        }
        // The style sheet of the configuration comes last, so that its variables win.
        let link = own.files.isEmpty ? "" : "<link rel=\"stylesheet\" href=\"ASSETS/\(OwnLook.styleName)\">\n</head>"
        if !link.isEmpty { page = page.replacing("</head>", with: link) }
        var (files, all) = ([String: File](), Array(page.utf8))
        for (name, bytes) in own.files.sorted(by: { $0.key < $1.key }) {
            files[name] = File(bytes: bytes, type: Self.type(name) ?? "")
            all += Array(name.utf8) + bytes
        }
        outlines = own.outlines
        for name in DeviceFiles.names(in: folder).sorted() {
            guard let type = Self.type(name) else { continue }
            guard let content = Self.read("\(folder)/\(name)") else { return nil }
            let bytes = name.hasSuffix(".svg") ? content : Self.withoutComments(content)
            files[name] = File(bytes: bytes, type: type)
            all += Array(name.utf8) + bytes
        }
        self.files = files
        hash = String(SHA256.digits(of: all).prefix(16))
        text = page.replacing("ASSETS/", with: "ROOT/page/\(hash)/")
    }

    /// Returns the page. Its references are relative, because a proxy may serve the service at a path.
    ///
    /// - Parameter root: The relative path from the page to the root of the service, such as `../`.
    func index(root: String) -> String { text.replacing("ROOT/", with: root) }

    /// Returns a file; `nil` if it does not exist, or the hash is that of another version.
    func file(_ name: String, hash: String) -> File? { hash == self.hash ? files[name] : nil }

    /// Returns a script or a style sheet without indentation, and without the lines that only have comments: browsers get a
    /// sixth less. The files have no text of several lines in which these could be content.
    private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
        var (lines, isInComment) = ([Substring](), false)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true) {
            let text = line.drop { $0 == " " }
            if !isInComment, text.hasPrefix("//") { continue }
            isInComment = isInComment || text.hasPrefix("/*")
            guard isInComment else {
                lines.append(text)
                continue
            }
            if text.hasSuffix("*/") { isInComment = false }
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private static func read(_ path: String) -> [UInt8]? { try? RegularFile.read(path, most: mostBytes) }

    private static func type(_ name: String) -> String? {
        name.lastIndex(of: ".").flatMap { types[String(name[name.index(after: $0)...])] }
    }
}

/// The theme and the logo of a configuration.
private struct OwnLook {
    static let styleName = "own.css"
    private static let mostBytes = 256 << 10

    /// The files of the page by their names; empty without a theme and a logo.
    let files: [String: [UInt8]]
    /// The style of outlines: the variable `--outline` of the theme is their color.
    let outlines: Style

    init(_ look: ServicePage) throws(CaptureError) {
        var (files, style) = ([String: [UInt8]](), "")
        if let path = look.logo {
            let name = "own-logo" + path.suffix(4).lowercased()
            files[name] = try Self.read(path, of: "logo")
            style = ":root{--logo:url(\"\(name)\")}\n"
        }
        var outlines = Style()
        if let path = look.theme {
            let theme = String(decoding: try Self.read(path, of: "theme"), as: UTF8.self)
            style += theme
            if let text = theme.firstMatch(of: /--outline:\s*([^;}\s]+)/)?.output.1 {
                let selection = try? LayerSelection([], of: "theme", appearance: ["color=\(text)"])
                guard let color = selection?.appearance.color else {
                    throw CaptureError(
                        .configuration, "--outline: \(String(text).quoted) is not a color", subject: path,
                        advice: "write it as #ffcc00")
                }
                outlines.color = color
            }
        }
        if !style.isEmpty { files[Self.styleName] = Array(style.utf8) }
        (self.files, self.outlines) = (files, outlines)
    }

    private static func read(_ path: String, of key: String) throws(CaptureError) -> [UInt8] {
        let bytes = try RegularFile.read(path, most: mostBytes + 1)
        guard bytes.count <= mostBytes else {
            throw CaptureError(
                .configuration, "is larger than \(mostBytes >> 10) KiB", subject: "page: \(key): \(path)")
        }
        return bytes
    }
}
#endif
