// swift-tools-version: 6.2
import PackageDescription

/// The settings of all targets but tests. With the feature, an actor's asynchronous helpers run on that actor: no hop for
/// each frame, and no data sent across.
let settings: [SwiftSetting] = [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]

/// The settings of targets that compute with each pixel, byte or slot. `make test` sets OPTIMIZED_LIBRARIES: these are
/// optimized then, and their tests take a quarter of the time. The others are not: they wait most of the time, and
/// compile in a third of the time. Without the variable there are no unsafe flags, which SwiftPM refuses in packages that
/// others depend on.
let computing: [SwiftSetting] =
    settings
    + (Context.environment["OPTIMIZED_LIBRARIES"] == nil ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

/// The linker settings of the GStreamer plugin. SwiftPM links Swift's libraries statically into programs alone: `make build`
/// sets STATIC_PLUGIN, as the plugin runs on machines without Swift.
let plugin: [LinkerSetting] =
    switch Context.environment["STATIC_PLUGIN"] {
    case nil: []
    case "1": [.unsafeFlags(["-static-stdlib"])]
    case let folder?: [.unsafeFlags(["-static-stdlib", "-resource-dir", folder])]
    }

extension Target.Dependency {
    /// A product that only a build with the package trait Service resolves and links.
    static func service(_ name: String, _ package: String) -> Target.Dependency {
        .product(name: name, package: package, condition: .when(traits: ["Service"]))
    }
}

let package = Package(
    name: "gst-capture",
    products: [
        .executable(name: "gst-capture", targets: ["gst-capture"]),
        .library(name: "PipelineKit", targets: ["PipelineKit"]),
        .executable(name: "gst-capture-raster", targets: ["gst-capture-raster"]),
        .library(name: "OverlayCompositor", targets: ["OverlayCompositor"]),
        .library(name: "OverlayRaster", targets: ["OverlayRaster"]),
        .library(name: "CaptureKit", targets: ["CaptureKit"]),
        .library(name: "PresetKit", targets: ["PresetKit"]),
        .library(name: "SessionKit", targets: ["SessionKit"]),
        .library(name: "LibraryKit", targets: ["LibraryKit"]),
        .library(name: "ServiceKit", targets: ["ServiceKit"]),
        .executable(name: "gst-capture-serve", targets: ["gst-capture-serve"]),
        // The GStreamer plugin: libgstoutline.so.
        .library(name: "gstoutline", type: .dynamic, targets: ["OutlineElement"]),
    ],
    traits: [.trait(name: "Service", description: "gst-capture-serve, which needs an HTTP server.")],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // These packages belong to the trait Service.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        // Its tests on Linux are not regular ones, so a later version is a decision.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // From bottom to top: nothing below knows of anything above.
        .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig: "gstreamer-video-1.0 gstreamer-app-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]
        ),
        .systemLibrary(
            name: "CRaster", pkgConfig: "librsvg-2.0 pangocairo cairo gdk-pixbuf-2.0 fontconfig",
            providers: [
                .apt([
                    "librsvg2-dev", "libpango1.0-dev", "libcairo2-dev", "libgdk-pixbuf-2.0-dev", "libfontconfig-dev",
                ])
            ]
        ),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // Only the trait Service uses it.
        .systemLibrary(name: "CQREncode"),
        .systemLibrary(name: "CCups", providers: [.apt(["libcups2-dev"])]),
        // Reads pictures from outside, and writes JPEG, with libjpeg-turbo and libpng.
        .target(name: "CPictures", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16")]),
        .target(name: "SystemBase", dependencies: ["CGLib", "CLinux", "CNettle"], swiftSettings: computing),
        .target(name: "PipelineKit", dependencies: ["CGStreamer", "CLinux", "SystemBase"], swiftSettings: computing),
        .target(name: "CConfinement"),
        .target(
            name: "OverlayCompositor", dependencies: ["CLinux", "CConfinement", "SystemBase", "PipelineKit"],
            swiftSettings: computing),
        .target(
            name: "OverlayRaster", dependencies: ["CRaster", "PipelineKit", "OverlayCompositor"],
            swiftSettings: computing),
        // The confinement that a process enters before it reads a drawing.
        .target(name: "RasterConfinement", dependencies: ["CConfinement", "CRaster"]),
        // The parts of a capture: each target imports only targets above it in this list.
        .target(name: "CaptureBase", dependencies: ["CLinux", "CYAML", "SystemBase"], swiftSettings: computing),
        .target(name: "ScheduleKit", dependencies: ["CLinux", "CaptureBase"], swiftSettings: computing),
        .target(name: "FrameMeasures", dependencies: ["PipelineKit"], swiftSettings: computing),
        .target(
            name: "CameraKit", dependencies: ["CLinux", "SystemBase", "PipelineKit", "CaptureBase", "FrameMeasures"],
            swiftSettings: settings),
        // The frames of a camera that a service of this machine holds.
        .target(
            name: "FrameLink", dependencies: ["SystemBase", "PipelineKit", "CaptureBase", "CameraKit"],
            swiftSettings: settings),
        .target(
            name: "StillKit",
            dependencies: [
                "CGStreamer", "CLinux", "CPictures", "SystemBase", "PipelineKit", "CaptureBase", "FrameMeasures",
            ],
            swiftSettings: computing),
        // Movies: encoders, sound, the files of clips, fragments for live viewers, movies in still pictures. No camera.
        .target(
            name: "VideoKit",
            dependencies: ["CGStreamer", "CLinux", "SystemBase", "PipelineKit", "CaptureBase", "StillKit"],
            swiftSettings: computing),
        .target(name: "DatabaseKit", dependencies: ["CSQLite", "CaptureBase"], swiftSettings: settings),
        .target(
            name: "LedgerKit", dependencies: ["CSQLite", "CaptureBase", "ScheduleKit", "DatabaseKit"],
            swiftSettings: computing),
        // Layers as text: their notation, and outlines by name.
        .target(name: "LayerKit", dependencies: ["OverlayCompositor", "CaptureBase"], swiftSettings: settings),
        // The overlays as a GStreamer element, for any pipeline.
        .target(
            name: "OutlineElement",
            dependencies: ["CGStreamer", "PipelineKit", "OverlayCompositor", "CaptureBase", "LayerKit"],
            swiftSettings: settings, linkerSettings: plugin),
        .target(
            name: "CropKit",
            dependencies: ["PipelineKit", "OverlayCompositor", "CaptureBase", "FrameMeasures", "StillKit", "LayerKit"],
            swiftSettings: computing),
        .target(
            name: "CaptureKit",
            dependencies: [
                "CGStreamer", "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit",
                "FrameMeasures", "CameraKit", "FrameLink", "StillKit", "LedgerKit", "CropKit",
            ], swiftSettings: settings),
        .target(
            name: "PresetKit",
            dependencies: [
                "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit", "FrameMeasures", "CameraKit",
                "StillKit", "LedgerKit", "LayerKit", "CropKit", "CaptureKit",
            ], swiftSettings: settings),
        // Clips of a camera: when they begin and end, and their files.
        .target(
            name: "ClipKit",
            dependencies: [
                "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit", "CameraKit", "StillKit",
                "CropKit", "CaptureKit", "PresetKit", "VideoKit",
            ], swiftSettings: settings),
        // The list of a camera's clips on the disk, for all that read it.
        .target(
            name: "ClipList", dependencies: ["CSQLite", "SystemBase", "CaptureBase", "DatabaseKit", "LedgerKit"],
            swiftSettings: settings),
        // The clips of a camera of a service: their settings, their limits, and their repair after a crash.
        .target(
            name: "ClipStore",
            dependencies: [
                "SystemBase", "CaptureBase", "CameraKit", "StillKit", "LedgerKit", "CaptureKit", "PresetKit",
                "VideoKit",
                "ClipKit", "ClipList",
            ], swiftSettings: settings),
        .target(
            name: "GateKit",
            dependencies: [
                "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "FrameMeasures", "CropKit",
                "CaptureKit", "PresetKit",
            ], swiftSettings: settings),
        // Sessions as values: their files, their state machine and their records.
        .target(
            name: "SessionModel",
            dependencies: [
                "OverlayCompositor", "CaptureBase", "ScheduleKit", "FrameMeasures", "StillKit", "CropKit", "CaptureKit",
                "PresetKit", "VideoKit", "ClipKit", "GateKit",
            ], swiftSettings: settings),
        .target(
            name: "SessionKit",
            dependencies: [
                "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit", "FrameMeasures", "CameraKit",
                "StillKit", "CropKit", "CaptureKit", "PresetKit", "VideoKit", "ClipKit", "GateKit", "SessionModel",
            ], swiftSettings: settings),
        // Named things with fields and pictures of their sides, their history, and their merge with a backend. No network.
        .target(
            name: "RecordKit",
            dependencies: [
                "CLinux", "CSQLite", "SystemBase", "CaptureBase", "StillKit", "DatabaseKit", "CropKit", "PresetKit",
                "SessionModel",
            ], swiftSettings: settings),
        // The index of all pictures, their tags and albums; without the trait Service only the sidecars.
        .target(
            name: "LibraryKit",
            dependencies: [
                "CLinux", "SystemBase", "CaptureBase", "StillKit", "VideoKit", "LedgerKit", "ClipList", "SessionModel",
                .service("GRDB", "GRDB.swift"),
            ], swiftSettings: computing),
        // Films of pictures: their plan, their pixels, their files. No camera.
        .target(
            name: "FilmKit",
            dependencies: [
                "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "StillKit", "LedgerKit", "VideoKit",
            ], swiftSettings: computing),
        // The films of a series, one of each day: their settings, their growth, and their list.
        .target(
            name: "FilmStore",
            dependencies: [
                "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit", "CameraKit", "StillKit",
                "LedgerKit", "CaptureKit", "PresetKit", "VideoKit", "ClipList", "ClipStore", "FilmKit",
            ], swiftSettings: settings),
        // The process that draws outlines and pictures of users; the command starts it.
        .executableTarget(
            name: "gst-capture-raster", dependencies: ["OverlayRaster", "OverlayCompositor", "RasterConfinement"],
            swiftSettings: settings),
        // The terminal of a command: its keys, its colors, its messages, and the standard streams.
        .target(name: "TerminalKit", dependencies: ["CLinux", "SystemBase", "CaptureBase"], swiftSettings: settings),
        // The commands of records.
        .target(
            name: "RecordCommands",
            dependencies: [
                "CaptureBase", "PresetKit", "RecordKit", "TerminalKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: settings),
        // The command of films.
        .target(
            name: "FilmCommands",
            dependencies: [
                "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "StillKit", "LedgerKit", "PresetKit",
                "VideoKit", "FilmKit", "TerminalKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: settings),
        // The commands of users that run at events.
        .target(
            name: "HookKit",
            dependencies: ["SystemBase", "PipelineKit", "CaptureKit", "PresetKit", "SessionKit", "TerminalKit"],
            swiftSettings: settings),
        .executableTarget(
            name: "gst-capture",
            dependencies: [
                "CLinux", "PipelineKit", "OverlayCompositor", "CameraKit", "FrameLink", "CaptureKit", "VideoKit",
                "ClipKit", "ClipList", "PresetKit", "FilmStore", "SessionKit", "UploadKit", "HookKit", "TerminalKit",
                "RecordCommands",
                "FilmCommands",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        // The commands of the library; empty without the trait Service.
        .target(
            name: "LibraryCommands",
            dependencies: [
                "SystemBase", "CaptureBase", "LibraryKit", "TerminalKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: settings),
        // The commands of the outbox, and its sender; empty without the trait Service.
        .target(
            name: "OutboxCommands",
            dependencies: [
                "SystemBase", "CaptureBase", "ScheduleKit", "LedgerKit", "RecordKit", "UploadKit", "TransferKit",
                "MQTTKit", "TerminalKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: settings),
        // The tokens that admit clients to a service, and their file.
        .target(name: "AccessKit", dependencies: ["SystemBase", "CaptureBase", "StillKit"], swiftSettings: settings),
        // The product events of sessions, and the queue that keeps them for a receiver.
        .target(
            name: "AnalyticsKit",
            dependencies: [
                "SystemBase", "PipelineKit", "CaptureBase", "ScheduleKit", "DatabaseKit", "PresetKit", "SessionKit",
            ], swiftSettings: settings),
        // The configuration of a service as values; no camera and no thread.
        .target(
            name: "ServiceModel",
            dependencies: [
                "CLinux", "SystemBase", "CaptureBase", "ScheduleKit", "CameraKit", "StillKit", "LedgerKit",
                "CaptureKit",
                "PresetKit", "ClipStore", "FilmStore", "SessionKit", "AnalyticsKit", "RecordKit",
            ], swiftSettings: settings),
        .target(
            name: "ServiceKit",
            dependencies: [
                "AccessKit", "AnalyticsKit", "ServiceModel",
                "CLinux", "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit",
                "FrameMeasures", "CameraKit", "FrameLink", "StillKit", "DatabaseKit", "LedgerKit", "CropKit",
                "CaptureKit", "PresetKit", "VideoKit", "ClipKit", "ClipList", "ClipStore", "FilmKit", "FilmStore",
                "SessionKit",
            ], swiftSettings: settings),
        // A client of MQTT brokers; empty without the trait Service.
        .target(
            name: "MQTTKit", dependencies: [.target(name: "CMosquitto", condition: .when(traits: ["Service"]))],
            swiftSettings: settings),
        // The outbox: which pictures go to which targets, their order, and the confirmed ones. It has no network.
        .target(
            name: "UploadKit",
            dependencies: [
                "SystemBase", "CaptureBase", "ScheduleKit", "StillKit", "DatabaseKit", "LedgerKit", "ClipList",
                "CropKit",
                "SessionKit",
            ],
            swiftSettings: computing),
        // A service for an MQTT broker and Home Assistant; empty without the trait Service.
        .target(
            name: "HomeAssistantKit",
            dependencies: [
                "SystemBase", "CaptureBase", "CaptureKit", "AccessKit", "AnalyticsKit", "ServiceKit", "MQTTKit",
                "UploadKit",
                .service("ServiceLifecycle", "swift-service-lifecycle"),
                .service("Logging", "swift-log"),
            ], swiftSettings: settings),
        // Prints pictures of sessions with CUPS; empty without the trait Service.
        .target(
            name: "PrintKit",
            dependencies: [
                "SystemBase", "CaptureBase", "SessionKit", "ServiceKit",
                .target(name: "CCups", condition: .when(traits: ["Service"])),
            ], swiftSettings: settings),
        // Sends files over S3, WebDAV, SFTP, HTTP and rclone, and records to a backend; empty without the trait Service.
        .target(
            name: "TransferKit",
            dependencies: [
                "SystemBase", "CaptureBase", "StillKit", "RecordKit", "UploadKit",
                .target(name: "CCurl", condition: .when(traits: ["Service"])),
            ], swiftSettings: settings),
        // Delivers product events to webhooks and brokers; empty without the trait Service.
        .target(
            name: "DeliveryKit",
            dependencies: [
                "SystemBase", "CaptureBase", "ScheduleKit", "AnalyticsKit", "UploadKit", "TransferKit",
                .service("ServiceLifecycle", "swift-service-lifecycle"),
                .service("Logging", "swift-log"),
            ], swiftSettings: settings),
        // The library of a service; empty without the trait Service.
        .target(
            name: "LibraryFeed",
            dependencies: [
                "SystemBase", "CaptureBase", "StillKit", "FilmKit", "LibraryKit", "SessionKit", "ServiceKit",
                .service("ServiceLifecycle", "swift-service-lifecycle"),
            ], swiftSettings: settings),
        // Sockets, TLS, time limits and fair shares of clients; empty without the trait Service.
        .target(
            name: "ConnectionKit",
            dependencies: [
                "SystemBase", "CaptureBase", "ServiceKit",
                .service("HummingbirdCore", "hummingbird"),
                .service("NIOSSL", "swift-nio-ssl"),
                .service("NIOCore", "swift-nio"),
                .service("NIOHTTP1", "swift-nio"),
                .service("NIOPosix", "swift-nio"),
                .service("ServiceLifecycle", "swift-service-lifecycle"),
                .service("Logging", "swift-log"),
            ], swiftSettings: settings),
        // The service over HTTP; empty without the trait Service.
        .target(
            name: "ServeKit",
            dependencies: [
                "CLinux", "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit", "CameraKit",
                "FrameLink", "StillKit", "VideoKit", "LedgerKit", "FilmKit", "FilmStore", "CaptureKit",
                "PresetKit", "SessionKit", "ServiceKit", "MQTTKit", "HomeAssistantKit", "PrintKit", "DeliveryKit",
                "UploadKit", "LibraryKit",
                "LibraryFeed", "ConnectionKit", "MetricsKit", "RecordKit",
                .target(name: "CQREncode", condition: .when(traits: ["Service"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .service("Hummingbird", "hummingbird"),
                .service("HummingbirdCore", "hummingbird"),
                .service("HTTPTypes", "swift-http-types"),
                .service("NIOCore", "swift-nio"),
                .service("ServiceLifecycle", "swift-service-lifecycle"),
                .service("UnixSignals", "swift-service-lifecycle"),
                .service("Logging", "swift-log"),
            ],
            swiftSettings: settings
        ),
        // Metrics and their text for Prometheus.
        .target(name: "MetricsKit", swiftSettings: settings),
        // The program that `gst-capture serve` and `gst-capture library` start; without the trait Service it only says so.
        .executableTarget(
            name: "gst-capture-serve",
            dependencies: [
                .target(name: "ServeKit", condition: .when(traits: ["Service"])),
                .target(name: "LibraryCommands", condition: .when(traits: ["Service"])),
                .target(name: "OutboxCommands", condition: .when(traits: ["Service"])),
            ], swiftSettings: settings),

        // Tells ThreadSanitizer about Swift's Mutex; empty without it.
        .target(
            name: "MutexSanitizer", path: "Tests/Sanitizers", exclude: ["address.supp", "thread.supp"],
            publicHeadersPath: "."),
        .testTarget(name: "SystemBaseTests", dependencies: ["SystemBase", "CaptureTestSupport"]),
        .testTarget(name: "PipelineKitTests", dependencies: ["CGStreamer", "PipelineKit", "MutexSanitizer"]),
        .testTarget(
            name: "OverlayCompositorTests",
            dependencies: ["OverlayCompositor", "OverlayRaster", "PipelineKit", "CGStreamer"]
        ),
        .testTarget(
            name: "OverlayRasterTests",
            dependencies: [
                "OverlayRaster", "OverlayCompositor", "PipelineKit", "gst-capture-raster", "CaptureTestSupport",
                "ProgramTestSupport",
            ],
            exclude: ["Corpus"]
        ),
        .testTarget(
            name: "RasterConfinementTests",
            dependencies: [
                "RasterConfinement", "OverlayCompositor", "PipelineKit", "CConfinement", "gst-capture-raster",
                "confinement-probe",
            ]),
        // Tries what the confinement forbids, for RasterConfinementTests; it is not installed.
        .executableTarget(
            name: "confinement-probe", dependencies: ["RasterConfinement", "OverlayCompositor", "CSystemCall"],
            path: "Tests/ConfinementProbe"),
        .systemLibrary(name: "CSystemCall", path: "Tests/CSystemCall"),
        // Starts other programs, for all tests.
        .target(
            name: "ProgramTestSupport", dependencies: ["PipelineKit"], path: "Tests/ProgramTestSupport",
            swiftSettings: computing),
        // Shared by the tests of several libraries.
        .target(
            name: "CaptureTestSupport",
            dependencies: [
                "CSQLite", "SystemBase", "PipelineKit", "OverlayCompositor", "CaptureBase", "ScheduleKit",
                "FrameMeasures", "CameraKit", "StillKit", "LedgerKit", "CropKit", "CaptureKit", "ProgramTestSupport",
            ], path: "Tests/CaptureTestSupport", swiftSettings: computing),
        .testTarget(name: "CaptureBaseTests", dependencies: ["CaptureBase", "CaptureTestSupport"]),
        .testTarget(
            name: "ScheduleKitTests",
            dependencies: ["CLinux", "SystemBase", "CaptureBase", "ScheduleKit", "CaptureTestSupport"]),
        .testTarget(
            name: "FrameMeasuresTests",
            dependencies: ["SystemBase", "PipelineKit", "FrameMeasures", "CaptureTestSupport"]),
        .testTarget(
            name: "CameraKitTests",
            dependencies: ["PipelineKit", "CaptureBase", "FrameMeasures", "CameraKit", "CaptureTestSupport"]),
        .testTarget(
            name: "FrameLinkTests",
            dependencies: ["SystemBase", "PipelineKit", "CaptureBase", "CameraKit", "FrameLink", "CaptureTestSupport"]),
        .testTarget(
            name: "StillKitTests",
            dependencies: ["CGStreamer", "PipelineKit", "CaptureBase", "StillKit", "CaptureTestSupport"],
            exclude: ["Corpus"]),
        .testTarget(
            name: "VideoKitTests",
            dependencies: [
                "CGStreamer", "SystemBase", "PipelineKit", "CaptureBase", "StillKit", "VideoKit", "CaptureTestSupport",
                "ProgramTestSupport",
            ]),
        .testTarget(
            name: "LedgerKitTests",
            dependencies: [
                "CLinux", "CSQLite", "CaptureBase", "ScheduleKit", "DatabaseKit", "LedgerKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "LayerKitTests",
            dependencies: ["OverlayCompositor", "CaptureBase", "LayerKit", "CaptureTestSupport"]),
        .testTarget(
            name: "OutlineElementTests",
            dependencies: [
                "CGStreamer", "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase", "LayerKit",
                "OutlineElement", "gst-capture-raster", "ProgramTestSupport",
            ]),
        .testTarget(
            name: "CropKitTests",
            dependencies: [
                "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase", "FrameMeasures", "StillKit",
                "CropKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "CaptureKitTests",
            dependencies: [
                "CGStreamer", "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase", "ScheduleKit",
                "FrameMeasures", "CameraKit", "StillKit", "LedgerKit", "CropKit", "CaptureKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "ClipKitTests",
            dependencies: ["PipelineKit", "CaptureBase", "CaptureKit", "VideoKit", "ClipKit", "CaptureTestSupport"]),
        .testTarget(
            name: "ClipListTests",
            dependencies: ["CaptureBase", "DatabaseKit", "LedgerKit", "ClipList", "CaptureTestSupport"]),
        .testTarget(
            name: "ClipStoreTests",
            dependencies: [
                "PipelineKit", "CaptureBase", "StillKit", "DatabaseKit", "LedgerKit", "VideoKit",
                "ClipKit", "ClipList", "ClipStore", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "FilmKitTests",
            dependencies: [
                "CGStreamer", "SystemBase", "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase",
                "ScheduleKit", "StillKit", "LedgerKit", "VideoKit", "FilmKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "FilmStoreTests",
            dependencies: [
                "PipelineKit", "CaptureBase", "ScheduleKit", "StillKit", "LedgerKit", "CaptureKit", "PresetKit",
                "VideoKit", "ClipList", "ClipStore", "FilmKit", "FilmStore", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "PresetKitTests",
            dependencies: [
                "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase", "ScheduleKit", "FrameMeasures",
                "CameraKit", "StillKit", "CaptureKit", "PresetKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "GateKitTests",
            dependencies: [
                "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase", "FrameMeasures", "CropKit",
                "CaptureKit", "PresetKit", "GateKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "SessionModelTests",
            dependencies: [
                "SystemBase", "CaptureBase", "CaptureKit", "PresetKit", "SessionModel", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "SessionKitTests",
            dependencies: [
                "SystemBase", "PipelineKit", "OverlayCompositor", "OverlayRaster", "CaptureBase", "ScheduleKit",
                "FrameMeasures", "CameraKit", "StillKit", "CropKit", "CaptureKit", "PresetKit", "VideoKit",
                "SessionModel",
                "SessionKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "RecordKitTests",
            dependencies: [
                "SystemBase", "CaptureBase", "DatabaseKit", "CropKit", "PresetKit", "SessionModel", "RecordKit",
                "CaptureTestSupport",
            ]),
        .testTarget(
            name: "LibraryKitTests",
            dependencies: [
                "CaptureBase", "DatabaseKit", "FrameMeasures", "StillKit", "VideoKit", "LedgerKit", "ClipList",
                "CropKit", "SessionModel", "LibraryKit", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "LibraryFeedTests",
            dependencies: [
                "CaptureBase", "StillKit", "LedgerKit", "PresetKit", "LibraryKit", "ServiceKit", "LibraryFeed",
                "CaptureTestSupport",
            ]),
        .testTarget(
            name: "UploadKitTests",
            dependencies: [
                "SystemBase", "CaptureBase", "ScheduleKit", "DatabaseKit", "LedgerKit", "StillKit", "ClipList",
                "UploadKit",
                "CaptureTestSupport",
            ]),
        .testTarget(
            name: "TransferKitTests",
            dependencies: [
                "CLinux", "SystemBase", "CaptureBase", "ScheduleKit", "LedgerKit", "CropKit", "StillKit", "RecordKit",
                "UploadKit", "TransferKit", "CaptureTestSupport",
            ]),
        .testTarget(name: "TerminalKitTests", dependencies: ["TerminalKit"]),
        .testTarget(
            name: "HookKitTests", dependencies: ["PipelineKit", "CaptureKit", "PresetKit", "SessionKit", "HookKit"]),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "PipelineKit", "OverlayCompositor", "FrameMeasures", "DatabaseKit", "LedgerKit", "CaptureKit",
                "PresetKit", "SessionKit", "UploadKit", "HookKit", "TerminalKit", "VideoKit", "FilmKit", "FilmCommands",
                "gst-capture",
                "gst-capture-serve", "ProgramTestSupport",
            ]),
        .testTarget(name: "MetricsKitTests", dependencies: ["MetricsKit"]),
        .testTarget(
            name: "ServiceModelTests",
            dependencies: [
                "CLinux", "CaptureBase", "ScheduleKit", "CameraKit", "CaptureKit", "PresetKit", "ClipKit", "ClipStore",
                "SessionKit",
                "VideoKit", "StillKit", "RecordKit", "ServiceModel", "CaptureTestSupport",
            ]),
        .testTarget(
            name: "ServiceKitTests",
            dependencies: [
                "CLinux", "SystemBase", "PipelineKit", "CaptureBase", "ScheduleKit", "DatabaseKit", "LedgerKit",
                "CameraKit", "CaptureKit", "PresetKit", "VideoKit", "ClipKit", "ClipStore", "ServiceKit",
                "CaptureTestSupport",
            ]),
        .testTarget(name: "AccessKitTests", dependencies: ["CaptureBase", "AccessKit"]),
        .testTarget(
            name: "AnalyticsKitTests",
            dependencies: [
                "PipelineKit", "CaptureBase", "ScheduleKit", "DatabaseKit", "SessionKit", "AnalyticsKit",
            ]),
        .testTarget(
            name: "DeliveryKitTests",
            dependencies: [
                "SystemBase", "CaptureBase", "DatabaseKit", "AnalyticsKit", "UploadKit", "DeliveryKit",
                "CaptureTestSupport",
                .service("Logging", "swift-log"),
            ]),
        .testTarget(name: "MQTTKitTests", dependencies: ["MQTTKit"]),
        .testTarget(
            name: "HomeAssistantKitTests",
            dependencies: ["CaptureBase", "UploadKit", "MQTTKit", "HomeAssistantKit", "CaptureTestSupport"]),
        .testTarget(
            name: "ConnectionKitTests",
            dependencies: [
                "ConnectionKit",
                .service("NIOCore", "swift-nio"),
                .service("NIOEmbedded", "swift-nio"),
                .service("NIOHTTP1", "swift-nio"),
                .service("Logging", "swift-log"),
            ]),
        // Requests reach the service in memory.
        .testTarget(
            name: "ServeKitTests",
            dependencies: [
                "PipelineKit", "OverlayRaster", "CaptureBase", "StillKit", "FilmKit", "CaptureKit", "PresetKit",
                "LibraryKit", "ServiceKit", "PrintKit", "UploadKit", "LibraryFeed", "ConnectionKit", "MetricsKit",
                "DatabaseKit", "RecordKit", "ServeKit", "CaptureTestSupport",
                .service("Hummingbird", "hummingbird"),
                .service("HummingbirdCore", "hummingbird"),
                .service("HTTPTypes", "swift-http-types"),
                .service("Logging", "swift-log"),
                .service("NIOCore", "swift-nio"),
                .service("NIOEmbedded", "swift-nio"),
            ]),
        .testTarget(
            name: "ServeTests",
            dependencies: ["MetricsKit", "ServeKit", "gst-capture-serve", "gst-capture", "ProgramTestSupport"],
            exclude: ["home-assistant.schema.json"]),
        .testTarget(
            name: "LabTests", dependencies: ["ProgramTestSupport"], path: "Tests/Lab",
            exclude: ["camera-lab", "Scripts", "Sessions", "SoundLoop", "UVCCamera"]),
        // A USB webcam for the lab's machine, driven by the kernel's uvcvideo.
        .executableTarget(
            name: "uvc-camera", path: "Tests/Lab/UVCCamera", linkerSettings: [.linkedLibrary("m")]),
        // Plays clicks to the loopback sound card of the lab's machine, snd-aloop.
        .executableTarget(
            name: "sound-loop", path: "Tests/Lab/SoundLoop", linkerSettings: [.linkedLibrary("m")]),
    ],
    swiftLanguageModes: [.v6]
)
