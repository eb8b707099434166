// swift-tools-version: 6.2
// Part of gst-capture. Apache License 2.0, see LICENSE.

// A user's package: a short program for each library, which `make embedding` builds and runs.
import PackageDescription

let package = Package(
    name: "Embedding",
    // LibraryKit needs the trait Service of gst-capture; the other libraries must build without it.
    traits: ["Library"],
    dependencies: [
        .package(
            name: "gst-capture", path: "../..",
            traits: [.trait(name: "Service", condition: .when(traits: ["Library"]))])
    ],
    targets: [
        ("Pictures", ["PipelineKit"]), ("Outline", ["OverlayCompositor", "PipelineKit"]),
        ("Drawing", ["OverlayCompositor", "OverlayRaster"]), ("Single", ["CaptureKit"]), ("Series", ["CaptureKit"]),
        ("Preset", ["CaptureKit", "PresetKit"]), ("Guided", ["CaptureKit", "SessionKit"]),
        ("Served", ["ServiceKit"]), ("Library", ["CaptureKit", "LibraryKit"]),
    ].map { name, libraries in
        .executableTarget(name: name, dependencies: libraries.map { .product(name: $0, package: "gst-capture") })
    }
)
