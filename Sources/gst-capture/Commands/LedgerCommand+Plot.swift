// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import Glibc
import OverlayCompositor
import PresetKit
import TerminalKit

extension LedgerCommand {
    /// Draws a ledger.
    struct Plot: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Draw gaps, interval error, brightness, exposure and disk space over time, as SVG or PNG.",
            discussion: """
                Examples:
                  gst-capture ledger plot /srv/garden -o garden.svg
                  gst-capture ledger plot /srv/garden --since 2026-11-20 --until 2026-11-21 -o day.png
                """)

        @Argument(help: "The folder of the pictures, or a ledger.", completion: .directory)
        var path = "."

        @Option(
            name: .shortAndLong, help: ArgumentHelp("The file, .svg or .png.", valueName: "name"),
            completion: .file(extensions: ["svg", "png"]))
        var output = "ledger.svg"

        @Option(help: ArgumentHelp("Only slots due at this time or later.", valueName: "time"))
        var since: String?

        @Option(help: ArgumentHelp("Only slots due before this time.", valueName: "time"))
        var until: String?

        @Flag(help: "Replace a file that exists.")
        var overwrite = false

        func run() async throws {
            let isPNG = output.lowercased().hasSuffix(".png")
            guard isPNG || output.lowercased().hasSuffix(".svg") else {
                throw CaptureError(
                    .usage, "\"\(output)\" has no ending of a drawing", subject: "--output",
                    advice: "end it in .svg or .png")
            }
            let svg = Array(try plot().svg.utf8)
            let bytes = isPNG ? try await Self.png(of: svg) : svg
            let (output, overwrite) = (output, overwrite)
            try await BlockingWork.run { () throws(CaptureError) in
                try LayerPicture.store(bytes, at: output, overwriting: overwrite)
            }
            StandardStream.output.line(output)
        }

        private func plot() throws(CaptureError) -> LedgerPlot {
            var filter = LedgerFilter()
            filter.order = .slots
            filter.since = try since.map { text throws(CaptureError) in try LedgerCommand.moment("--since", text) }
            filter.until = try until.map { text throws(CaptureError) in try LedgerCommand.moment("--until", text) }
            let ledgers = try LedgerFinder.ledgers(at: path)
            guard let ledger = ledgers.first, ledgers.count == 1 else {
                throw CaptureError(
                    .usage, "has \(ledgers.count) ledgers", subject: path,
                    advice: "name one: " + ledgers.joined(separator: ", "))
            }
            let reader = try LedgerReader(ledger)
            return try LedgerPlot(reader, filter, title: DeviceFiles.name(of: reader.folder))
        }

        /// Draws the plot as a picture. The rasterizer reads files alone.
        private static func png(of svg: [UInt8]) async throws -> [UInt8] {
            let rasterizer = try RasterProcess.installed()
            var name = Array("/tmp/gst-capture-XXXXXX".utf8CString)
            guard mkdtemp(&name) != nil else { throw CaptureError(.cannotCreate, "cannot be written", subject: "/tmp") }
            let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            let file = folder + "/plot.svg"
            defer {
                unlink(file)
                rmdir(folder)
            }
            try LayerPicture.store(svg, at: file, overwriting: false)
            let white = Color(red: 1, green: 1, blue: 1)
            let whole = Placement(position: .center, size: 1, margin: .pixels(0))
            var plain = Style()
            plain.halo = .pixels(0)
            plain.opacity = 1
            return try await LayerPicture(width: LedgerPlot.width, height: LedgerPlot.height, ground: white)
                .draw([Layer("plot", .image(path: file), whole, plain)], by: rasterizer)
        }
    }
}
