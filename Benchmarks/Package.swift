// swift-tools-version: 6.2
// Part of gst-capture. Apache License 2.0, see LICENSE.

import PackageDescription

// A package of its own: who builds or embeds gst-capture builds no benchmarks.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "gst-capture", path: "..")],
    targets: [
        .executableTarget(
            name: "WarmTrigger",
            dependencies: [
                .product(name: "CaptureKit", package: "gst-capture"),
                .product(name: "PipelineKit", package: "gst-capture"),
            ])
    ]
)
