// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser

/// Options for the encoding and the file of a picture.
struct PictureOptions: SettingOptions {
    @Argument(help: "The same as --output.", completion: .file())
    var file: String?

    @Option(name: .shortAndLong, help: .setting("output"), completion: .file())
    var output: String?

    @Option(name: .shortAndLong, help: .setting("encoding"), completion: .setting("encoding"))
    var encoding: String?

    @Option(name: .shortAndLong, help: .setting("quality"))
    var quality: String?

    @Flag(inversion: .prefixedNo, help: .setting("live"))
    var live: Bool?

    @Option(help: .setting("rotate"), completion: .setting("rotate"))
    var rotate: String?

    @Option(help: .setting("flip"), completion: .setting("flip"))
    var flip: String?

    @Flag(inversion: .prefixedNo, help: .setting("overwrite"))
    var overwrite: Bool?

    @Option(help: .setting("latest"), completion: .file())
    var latest: String?

    @Option(help: .setting("burn-in"), completion: .layers)
    var burnIn: [String] = []

    func validate() throws {
        guard let file, let output, file != output else { return }
        throw ValidationError("the file '\(file)' and --output '\(output)' are both given; one is enough")
    }

    var assignments: [SettingAssignment] {
        [
            SettingAssignment("output", output ?? file), SettingAssignment("encoding", encoding),
            SettingAssignment("quality", quality), SettingAssignment("live", live),
            SettingAssignment("rotate", rotate), SettingAssignment("flip", flip),
            SettingAssignment("overwrite", overwrite), SettingAssignment("latest", latest),
        ].compactMap { $0 } + .repeated("burn-in", burnIn)
    }
}
