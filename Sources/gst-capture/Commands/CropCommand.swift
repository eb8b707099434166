// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import OverlayCompositor
import PipelineKit
import PresetKit
import SessionKit
import TerminalKit

/// Crops existing pictures to an outline.
struct CropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crop",
        abstract: "Crop pictures to an outline, and print their names.",
        discussion: """
            Pictures are JPEG or PNG files, or folders of them. The outline lies on a picture as it would on its preview, \
            and the crop is its closed shape, at full size: pixels stay unchanged unless the picture is moved, zoomed, \
            turned or rectified. A crop is upright and keeps the picture's tags. In a session's folder, an outline \
            without a place lies where the session showed it, according to session.json.

            Examples:
              gst-capture crop photo.jpg --outline card
              gst-capture crop photo.jpg --outline 'card;size=60%;position=top-left' --rectify
              gst-capture crop scans/ --outline card --rectify -o cards/
              gst-capture crop me.jpg --outline face --corners masked --format png
              gst-capture crop me.jpg --outline passport --move 5%,-10% --zoom 1.3 --turn 2 -o pass.jpg
              gst-capture crop *.jpg --outline card -o 'cards/%-front.jpg' --json

            --rectify finds the four edges of a card near the outline and corrects its perspective. It is for cards of \
            the outline's proportions, turned or tilted by up to 15 degrees; if an edge is uncertain, the picture is \
            refused.

            --move, --zoom and --turn move the picture under the outline: to the right and down, in the outline's widths \
            and heights; larger; clockwise.

            Crops are stored beside their pictures as NAME-crop.jpg. In the name after --output, % stands for the \
            picture's name without its extension; a folder gets NAME-crop.jpg, and - is standard output. A file is \
            complete or does not exist, and none is replaced without --overwrite. Files called NAME-crop in a folder \
            are not cropped again.

            With --json each line is an object: source, path, format, width, height, corners (of the crop in the picture, \
            from the top left, clockwise) and confidence (of --rectify, 0 to 1); or source and error (code, status, \
            subject, message, advice). If a picture cannot be cropped, the others are cropped all the same; the exit \
            status is that of the first error.
            """
    )

    @Argument(
        help: ArgumentHelp("JPEG or PNG files, or folders of them.", valueName: "picture"),
        completion: .file(extensions: ["jpg", "jpeg", "png"]))
    var pictures: [String]

    @OptionGroup(title: "Crop") var crop: CropOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("File name or folder; % stands for the picture's name.", valueName: "name"),
        completion: .file())
    var output: String?

    @Flag(help: "Replace files that exist.")
    var overwrite = false

    @Flag(help: "One JSON object a line for each picture.")
    var json = false

    func run() async throws {
        let request = try crop.request()
        let names = CropNames(output)
        let (sources, unread) = CropSources.find(pictures)
        try names.check(sources.count)
        var failures = unread.map { ($0.source, $0.error) }
        for (source, error) in failures { report(error, source) }
        let cropper = StillCropper(try RasterProcess.installed())
        var taken: Set<String> = []
        for source in sources {
            do throws(CaptureError) {
                try await crop(source, request, cropper, names, &taken)
            } catch {
                report(error, source)
                failures.append((source, error))
            }
        }
        if let first = failures.first { throw ExitStatus(first.1) }
    }

    private func crop(
        _ source: String, _ request: CropRequest, _ cropper: StillCropper, _ names: CropNames,
        _ taken: inout Set<String>
    ) async throws(CaptureError) {
        let picture = try await BlockingWork.run { () throws(CaptureError) in try LibraryPicture(path: source) }
        var request = request
        request.format = request.format ?? names.format ?? picture.format
        let path = names.path(for: source, request.format ?? picture.format)
        guard taken.insert(path).inserted else {
            throw CaptureError(
                .usage, "would be stored as \(path), like another picture", subject: source,
                advice: "crop pictures of the same name into separate folders")
        }
        let geometry = try await place(&request, on: picture)
        let crop: CroppedStill
        do throws(CaptureError) {
            crop = try await cropper.crop(picture.bytes, picture.format, to: request, geometry: geometry)
        } catch {
            throw error.ofStill(at: source)
        }
        let overwrite = overwrite
        try await BlockingWork.run { () throws(CaptureError) in
            try LayerPicture.store(crop.bytes, at: path, overwriting: overwrite)
        }
        if json {
            printJSON(CropListing(source, path, crop).json)
        } else if path != "-" {
            StandardStream.output.line(path)
        }
    }

    /// Places the outline at its position in the picture's session, unless the user gives a placement.
    ///
    /// - Returns: The map between the session's preview and the picture; `nil` if the user gives a placement, or if the
    ///   picture is not one of a session.
    private func place(
        _ request: inout CropRequest, on picture: LibraryPicture
    ) async throws(CaptureError) -> StillGeometry? {
        guard request.placement == Placement() else { return nil }
        let outline = try await BlockingWork.run { () throws(CaptureError) in
            try SessionArchive.outline(of: picture)
        }
        guard let outline else { return nil }
        request.placement = outline.placement
        return outline.geometry(stillWidth: picture.width, height: picture.height)
    }

    private func report(_ error: CaptureError, _ source: String) {
        if json { printJSON(.object(["source": .string(source), "error": error.json])) }
        Console().report(error)
    }

    // Standard output may carry the picture.
    private func printJSON(_ value: JSONValue) {
        (output == "-" ? StandardStream.error : .output).line(value.text)
    }
}
