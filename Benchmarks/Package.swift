// swift-tools-version: 6.2
// Part of gst-capture. Apache License 2.0, see LICENSE.

import PackageDescription

// A separate package: users who build or embed gst-capture build no benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "gst-capture", path: "..")],
    targets: [
        .executableTarget(
            name: "WarmTrigger",
            dependencies: [
                .product(name: "CaptureKit", package: "gst-capture"),
                .product(name: "PipelineKit", package: "gst-capture"),
            ]),
        .executableTarget(
            name: "GateBench",
            dependencies: [
                .product(name: "CaptureKit", package: "gst-capture"),
                .product(name: "PipelineKit", package: "gst-capture"),
                .product(name: "SessionKit", package: "gst-capture"),
            ]),
        .systemLibrary(name: "CMedia", pkgConfig: "gstreamer-video-1.0 librsvg-2.0 cairo"),
        .target(name: "COverlayBench", dependencies: ["CMedia"]),
        .executableTarget(
            name: "OverlayBench",
            dependencies: [
                "COverlayBench",
                .product(name: "OverlayCompositor", package: "gst-capture"),
                .product(name: "OverlayRaster", package: "gst-capture"),
                .product(name: "PipelineKit", package: "gst-capture"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
