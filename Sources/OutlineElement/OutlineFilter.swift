// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import LayerKit
import OverlayCompositor
import PipelineKit
import Synchronization

/// Draws the layers of one `outlineoverlay` element. Any thread may call the methods.
final class OutlineFilter: Sendable {
    /// The values of the element's properties.
    struct Settings: Sendable, Equatable {
        var outline: String?
        var overlay: String?
        var appearance: String?
        var isMirrored = false
        var waits = true
    }

    private struct State {
        var settings = Settings()
        /// `nil` unless the element runs.
        var overlay: Overlay?
        var reports: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let drawing = FirstDrawing()

    /// The values of the properties.
    var settings: Settings { state.withLock { $0.settings } }

    /// Starts to draw at the element's source pad. Finds the outlines and files of the layers, which blocks.
    ///
    /// - Returns: `false` if a property is invalid, an outline is missing, or the drawing process is not installed. An
    ///   error message on the bus then says so.
    func start(_ element: Element) -> Bool {
        drawing.reset()
        do throws(CaptureError) {
            let overlay = Overlay(try element.rasterizer)
            try Self.attach(overlay, to: element)
            let reports = Task { [drawing] in await Self.report(overlay.events, of: element, drawing) }
            // A change from now on reaches the overlay by itself.
            state.withLock { ($0.overlay, $0.reports) = (overlay, reports) }
            let settings = settings
            overlay.show(try settings.layers(for: element), settings)
            return true
        } catch {
            stop()
            element.post(error, isFatal: true)
            return false
        }
    }

    /// Stops drawing. The drawing process ends with the overlay.
    func stop() {
        let (overlay, reports) = state.withLock { state in
            defer { (state.overlay, state.reports) = (nil, nil) }
            return (state.overlay, state.reports)
        }
        overlay?.detach()
        reports?.cancel()
    }

    /// Changes the settings. If the element runs, the next drawing shows them; if they are invalid, frames keep the
    /// previous drawing, and a warning on the bus says why.
    func change(for element: Element, _ body: (inout Settings) -> Void) {
        let (settings, overlay) = state.withLock { state in
            body(&state.settings)
            return (state.settings, state.overlay)
        }
        guard let overlay else { return }
        do throws(CaptureError) {
            overlay.show(try settings.layers(for: element), settings)
        } catch {
            element.post(error, isFatal: false)
        }
    }

    /// Returns when frames show the overlay; at once if the property `wait` is off. The streaming thread calls it.
    func waitForDrawing() {
        if settings.waits { drawing.wait() }
    }

    /// Lets the frame pass that waits now, without the drawing.
    func passFrame() { drawing.passFrame() }

    /// Lets all frames pass until the next start, without the drawing.
    func endWaiting() { drawing.open() }

    private static func attach(_ overlay: Overlay, to element: Element) throws(CaptureError) {
        guard let pad = element.pad("src") else { throw CaptureError(.software, "has no source pad") }
        do throws(PipelineError) {
            try overlay.attach(to: pad)
        } catch {
            throw CaptureError(.software, error.message, advice: error.advice)
        }
    }

    /// Posts a warning for each layer that cannot be drawn, and opens the filter with the first drawing. It ends with
    /// the overlay. It keeps the element alive, for a message that it posts while the element stops.
    private static func report(_ events: AsyncStream<OverlayEvent>, of element: Element, _ drawing: FirstDrawing) async
    {
        for await event in events {
            switch event {
            case .drawn: drawing.open()
            case .failed(let layer, let error):
                element.post(CaptureError(error).about(layer), isFatal: false)
                // No drawing follows if nothing can be drawn on the stream.
                if layer.isEmpty { drawing.open() }
            }
        }
    }
}

extension OutlineFilter.Settings {
    /// Returns the layers and their look, with the files of the layers found.
    fileprivate func layers(for element: Element) throws(CaptureError) -> LayerSelection {
        try LayerSelection(
            [("outline", outline), ("overlay", overlay)].compactMap(Self.given),
            appearance: [("appearance", appearance)].compactMap(Self.given),
            outlines: OutlineLibrary(PresetSurroundings.process(element.codeFile)))
    }

    private static func given(_ property: (String, String?)) -> (option: String, text: String)? {
        property.1.map { (property.0, $0) }
    }
}

extension Element {
    /// The file that contains the code of this kind of element. The drawing process and the outlines that were installed
    /// or built with it are found from here: the program is another one, such as `gst-launch-1.0`.
    fileprivate var codeFile: String? { DeviceFiles.canonical(pluginFile ?? "/proc/self/exe") }

    fileprivate var rasterizer: RasterProcess {
        get throws(CaptureError) {
            do throws(OverlayError) {
                return try RasterProcess.standard(beside: codeFile)
            } catch {
                throw CaptureError(error)
            }
        }
    }
}

extension Overlay {
    fileprivate func show(_ selection: LayerSelection, _ settings: OutlineFilter.Settings) {
        mirror(settings.isMirrored)
        show(selection.layers, appearance: selection.appearance)
    }
}

extension CaptureError {
    /// Returns the error with the layer as its subject, if it has none.
    fileprivate func about(_ layer: String) -> CaptureError {
        guard subject == nil, !layer.isEmpty else { return self }
        return CaptureError(code, message, subject: layer, advice: advice)
    }
}
