// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import OverlayCompositor
import PresetKit
import TerminalKit

extension OutlinesCommand {
    /// Draws layers into PNG files.
    struct Render: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Draw outlines, or any layers, into PNG files, as a preview would show them.")

        @Argument(
            help: ArgumentHelp(
                "Outlines, or layers as --overlay takes them; without any, all outlines.", valueName: "layers"),
            completion: .layers)
        var texts: [String] = []

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "File name, in which % stands for the outline's name; - is standard output.", valueName: "name"),
            completion: .file(extensions: ["png"]))
        var output = "%.png"

        @Option(help: ArgumentHelp("The size of the pictures.", valueName: "pixels"))
        var size = PictureSize(1280, 720)

        @Option(help: .setting("appearance"))
        var appearance: [String] = []

        @Option(help: ArgumentHelp("A picture to draw them over.", valueName: "file"), completion: .file())
        var over: String?

        @Flag(help: "Replace files that exist.")
        var overwrite = false

        func run() async throws {
            let jobs = try jobs()
            guard jobs.count == 1 || output.contains("%") else {
                throw CaptureError(
                    .usage, "\"\(output)\" gives \(jobs.count) pictures the same name", subject: "--output",
                    advice: "put % into it for the outline's name")
            }
            let rasterizer = try RasterProcess.installed()
            for job in jobs { try await draw(job, rasterizer) }
        }

        private typealias Job = (name: String, selection: LayerSelection)

        /// Returns one job for each argument, or for each outline.
        private func jobs() throws(CaptureError) -> [Job] {
            let texts = texts.isEmpty ? OutlineLibrary().entries.map(\.path) : texts
            guard !texts.isEmpty else { throw CaptureError(.noInput, "no outlines are found") }
            var jobs: [Job] = []
            for text in texts {
                let ground = over.map { ["ghost:\($0);opacity=1"] } ?? []
                let selection = try LayerSelection(ground + [text], of: "layer", appearance: appearance)
                jobs.append((selection.layers.last?.name ?? "layers", selection))
            }
            return jobs
        }

        private func draw(_ job: Job, _ rasterizer: RasterProcess) async throws(CaptureError) {
            let picture = try await LayerPicture(width: size.width, height: size.height)
                .draw(job.selection.layers, appearance: job.selection.appearance, by: rasterizer)
            let path = output.split(separator: "%", omittingEmptySubsequences: false).joined(separator: job.name)
            let overwrite = overwrite
            try await BlockingWork.run { () throws(CaptureError) in
                try LayerPicture.store(picture, at: path, overwriting: overwrite)
            }
            if path != "-" { StandardStream.output.line(path) }
        }
    }
}
