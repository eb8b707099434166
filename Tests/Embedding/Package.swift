// swift-tools-version: 6.2
// Part of gst-capture. Apache License 2.0, see LICENSE.

// A user's package: a short program for each library, which `make embedding` builds and runs.
import PackageDescription

let package = Package(
    name: "Embedding",
    dependencies: [.package(name: "gst-capture", path: "../..")],
    targets: [
        ("Pictures", ["PipelineKit"]), ("Outline", ["OverlayCompositor", "PipelineKit"]),
        ("Drawing", ["OverlayCompositor", "OverlayRaster"]), ("Single", ["CaptureKit"]), ("Series", ["CaptureKit"]),
        ("Preset", ["CaptureKit", "PresetKit"]), ("Guided", ["CaptureKit", "SessionKit"]),
        ("Served", ["ServiceKit"]),
    ].map { name, libraries in
        .executableTarget(name: name, dependencies: libraries.map { .product(name: $0, package: "gst-capture") })
    }
)
