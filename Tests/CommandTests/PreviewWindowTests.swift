// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import PipelineKit
import ProgramTestSupport
import Testing

@testable import CaptureKit

@Suite(.ownThread, .timeLimit(.minutes(5)))
struct `The window of a preview` {
    // In a separate process: Xlib ends a process whose display goes away.
    @Test func `The window stays the same when the camera changes, and is blurred without a camera`() async {
        await #expect(processExitsWith: .success) {
            let display = try Display()
            var request = PreviewRequest()
            request.sink = .elements("ximagesink display=\(display.name) sync=false")
            let screen = PreviewScreen(request, nil, nil)
            try await screen.start()
            var events = screen.events.makeAsyncIterator()

            let first = try await open("pattern=checkers-8 ! video/x-raw,width=640,height=360,framerate=30/1", screen)
            let window = try display.window()
            try await display.awaitPicture(of: window, isSharp)
            try await first.close()
            screen.hold(because: "the camera is gone")
            try await display.awaitPicture(of: window, isBlurred)
            try display.expose(window)
            try await display.awaitPicture(of: window, isBlurred)
            try display.press("space", in: window)
            while let event = await events.next() {
                if case .key("space") = event { break }
            }

            let second = try await open("pattern=blue ! video/x-raw,width=320,height=240,framerate=30/1", screen)
            try await display.awaitPicture(of: window) { $0.color(0.5, 0.5) == [0, 0, 255] }
            #expect(try display.window() == window)
            let picture = try display.picture(of: window)
            #expect(picture.width == 640 && picture.height == 360)
            try await second.close()
            await screen.close()
        }
    }

    // Swift Testing captures no values for a separate process before Swift 6.3.
    #if compiler(>=6.3)
    // In a separate process, which ends before its desktop: GTK ends a process whose display goes away, as a failure.
    @Test func `On Wayland, the window shows its first frame, and a page that comes right after a frame`() async throws
    {
        let command = try Command()
        let desktop = try RunningDesktop(.wayland, in: command.folder, width: 640, height: 360)
        await #expect(processExitsWith: .success) {
            [
                variables = desktop.environment as [String: String], name = desktop.display.name as String,
                window = try desktop.window() as String
            ] in
            for (name, value) in variables { setenv(name, value, 1) }
            let display = Display(name: name)
            var request = PreviewRequest()
            request.sink = .wayland
            let screen = PreviewScreen(request, nil, nil)
            try await screen.start()
            let stage = try #require(screen.stage)

            // No other frame follows.
            stage.show(try frame(of: [255, 0, 0]), entered: nil)
            try await display.awaitPicture(of: window) { $0.color(0.3, 0.3) == [255, 0, 0] }

            // The page is put while its predecessor enters the sink.
            let (live, page, turn) = (try frame(of: [0, 255, 0]), try frame(of: [0, 0, 255]), stage.turn())
            let sink = try #require(try screen.pipeline?.element(named: PreviewSink.gtkName))
            try sink.pad("sink")?.probeBuffers { _ in
                stage.show(page, asPage: turn)
                return .remove
            }
            stage.show(live, entered: nil)
            try await display.awaitPicture(of: window) { $0.color(0.3, 0.3) == [0, 0, 255] }
            await screen.close()
        }
        withExtendedLifetime((command.folder, desktop)) {}
    }
    #endif
}

/// A frame of one color, given as red, green and blue.
private func frame(of color: [UInt8]) throws -> Sample {
    let pixel = [color[2], color[1], color[0], 255]
    let buffer = try Buffer(repeatElement(pixel, count: 640 * 360).joined())
    return Sample(buffer, caps: try Caps("video/x-raw,format=BGRx,width=640,height=360,framerate=30/1"))
}

private func open(_ source: String, _ screen: PreviewScreen) async throws -> CameraSession {
    var configuration = CaptureConfiguration(source: .fragment("videotestsrc is-live=true " + source), output: .caller)
    configuration.preview = PreviewRequest()
    let session = try CameraSession(SourceDescription(configuration), subject: "camera")
    _ = try await session.show(on: screen, .upright)
    try await session.play()
    return session
}

private let places = (1...20).map { Double($0) / 21 }

/// `true` if there is black and white.
private func isSharp(_ picture: ScreenPicture) -> Bool {
    let levels = places.map { picture.color($0, 0.3)[1] }
    return levels.contains { $0 > 235 } && levels.contains { $0 < 20 }
}

/// `true` if everything is gray.
private func isBlurred(_ picture: ScreenPicture) -> Bool {
    places.allSatisfy { (60...195).contains(picture.color($0, 0.3)[1]) }
}
