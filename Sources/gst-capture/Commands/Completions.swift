// Part of gst-capture. Apache License 2.0, see LICENSE.

import ArgumentParser
import CaptureKit
import OverlayCompositor
import PresetKit
import SessionKit

extension CompletionKind {
    /// The ids of the cameras that are found.
    static var cameras: CompletionKind {
        .custom { _, _, _ in CameraCatalog().cameras().map(\.id) + [CameraCatalog.automatic] }
    }

    /// The names of the presets that are found.
    static var presets: CompletionKind {
        .custom { _, _, _ in PresetLibrary().entries.map(\.name) }
    }

    /// The names of the sessions that are found.
    static var sessions: CompletionKind {
        .custom { _, _, _ in SessionLibrary().entries.map(\.name) }
    }

    /// The names of the outlines that are found, and the grids.
    static var layers: CompletionKind {
        .custom { _, _, _ in OutlineLibrary().entries.map(\.name) + Grid.allCases.map { "grid:\($0.rawValue)" } }
    }

    /// The names of the controls of the camera in the command line, or of the first camera.
    static var controls: CompletionKind {
        .custom { words, _, _ in controls(of: value(of: ["--camera", "-c"], in: words) ?? CameraCatalog.automatic) }
    }

    // A shell cannot show errors during completion.
    private static func controls(of camera: String) -> [String] {
        guard let camera = try? CameraCatalog().resolve(camera), let controls = try? CameraControls(camera).list()
        else { return [] }
        return controls.filter(\.isWritable).map(\.name)
    }

    private static func value(of option: Set<String>, in words: [String]) -> String? {
        guard let index = words.lastIndex(where: option.contains), index + 1 < words.count else { return nil }
        return words[index + 1]
    }
}
