// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import SystemBase

extension CameraCatalog {
    /// The text that selects the first usable camera.
    public static let automatic = "auto"

    /// Returns the camera that `text` names.
    ///
    /// `auto` selects the first usable camera. It never selects the scene, so that a series does not record test
    /// pictures for months. `scene` selects the scene. Any other text is compared in this order: a number (0 is
    /// `/dev/video0`), a link or path, an ID, an alias, a whole ID or name, a part of exactly one ID or name. IDs and
    /// names match in upper and lower case.
    ///
    /// Opens no more nodes than needed: for a path, number or link only that node.
    ///
    /// - Throws: `CaptureError` `.noCamera` if no camera matches, `.usage` if several match or `text` is empty, or
    ///   the error that keeps the camera from being opened, such as `.permission` and `.temporary`.
    public func resolve(_ text: String) throws(CaptureError) -> Camera {
        let text = FixedText.trimmed(text)
        if text.isEmpty { throw CaptureError(.usage, "no camera is given", advice: "give an id, path, auto or scene") }
        let camera =
            switch text {
            case Self.automatic: try first()
            case Camera.sceneID: Camera.scene
            default: try named(text)
            }
        if let problem = camera.problem { throw problem }
        return camera
    }

    /// Returns the first usable camera. Without discovered devices, the nodes after it stay closed.
    private func first() throws(CaptureError) -> Camera {
        var blocked: CaptureError?
        func isUsable(_ camera: Camera) -> Bool {
            if let problem = camera.problem, [.permission, .temporary].contains(problem.code) {
                blocked = blocked ?? problem
            }
            return camera.isUsable
        }
        let usable =
            discovered.isEmpty
            ? tree.videoNodes().lazy.compactMap(camera).first(where: isUsable)
            : cameras().first { $0.kind != .scene && isUsable($0) }
        if let usable { return usable }
        throw blocked
            ?? CaptureError(
                .noCamera, "no camera is connected", advice: "the built-in scene is always there: --camera scene")
    }

    private func named(_ text: String) throws(CaptureError) -> Camera {
        if Self.isNumber(text) { return try opened("\(tree.dev)/video\(text)") }
        if let link = tree.link(named: text) { return try opened(link) }
        if text.contains("/"), !discovered.contains(where: { $0.libcameraName == text }) { return try opened(text) }
        return try search(text)
    }

    /// `true` if all characters are digits; also for an empty text, which ``resolve(_:)`` rejects.
    static func isNumber(_ text: String) -> Bool { text.utf8.allSatisfy(\.isDigit) }

    private func opened(_ path: String) throws(CaptureError) -> Camera {
        guard let facts = tree.node(at: path) else { throw CaptureError.opening(path, ENOENT) }
        let report: NodeReport?
        do throws(CaptureError) {
            report = try probe(facts.path)
        } catch {
            // The error names the path that the user requested, not the node behind it.
            throw CaptureError(error.code, error.message, subject: path, advice: error.advice)
        }
        guard let report else { throw CaptureError.notACamera(path) }
        return Camera(facts, report, dev: tree.dev)
    }

    private func search(_ text: String) throws(CaptureError) -> Camera {
        let cameras = cameras().filter { $0.kind != .scene }
        let wanted = text.lowercased()
        let tests: [(Camera) -> Bool] = [
            { $0.id == text },
            { $0.aliases.contains(text) || $0.libcameraName == text },
            { $0.id.lowercased() == wanted || $0.name.lowercased() == wanted },
            { $0.id.lowercased().contains(wanted) || $0.name.lowercased().contains(wanted) },
        ]
        for test in tests {
            let found = cameras.filter(test)
            if found.count == 1 { return found[0] }
            if found.count > 1 { throw Self.ambiguous(text, found) }
        }
        throw Self.unknown(text, cameras)
    }

    private static func ambiguous(_ text: String, _ cameras: [Camera]) -> CaptureError {
        CaptureError(
            .usage, "matches several cameras: \(list(cameras))", subject: text,
            advice: "give the whole id or the path")
    }

    private static func unknown(_ text: String, _ cameras: [Camera]) -> CaptureError {
        let texts = cameras.flatMap { [$0.id, $0.name] + $0.aliases } + [Camera.sceneID, automatic]
        let there = cameras.isEmpty ? "no camera is connected" : "connected: \(list(cameras))"
        let advice = Spelling.nearest(to: text, among: texts).map { "did you mean \($0)?" }
        return CaptureError(
            .noCamera, "there is no such camera; \(there)", subject: text,
            advice: advice ?? "\(Camera.sceneID) is always available")
    }

    private static func list(_ cameras: [Camera]) -> String {
        cameras.map { camera in "\(camera.id) (\(camera.name)\(camera.path.map { ", \($0)" } ?? ""))" }
            .joined(separator: ", ")
    }
}

extension CameraCatalog {
    /// Finds the camera that `text` names, as ``resolve(_:)`` does, without blocking the caller.
    ///
    /// Linux suspends idle USB cameras. If a port fails to wake its camera up, `open(2)` fails with `EBUSY`, and the
    /// camera is disconnected and appears again, mostly within a second. A camera that is busy is therefore searched for
    /// again after 0.5, 1.5 and 3.5 seconds. If the task is canceled, the attempt in progress is the last one.
    ///
    /// - Throws: The errors of ``resolve(_:)``; `CaptureError` `.noCamera` if the camera's driver has not answered
    ///   within ten seconds.
    public static func find(_ text: String) async throws(CaptureError) -> Camera {
        let catalog = await finding(text)
        return try await catalog.find(text, clock: SuspendingClock())
    }

    /// The pauses before the attempts that follow the first.
    private static let pauses = [Duration.milliseconds(500), .seconds(1), .seconds(2)]

    /// Finds a camera, and pauses with `clock`.
    func find(_ text: String, clock: some Clock<Duration>) async throws(CaptureError) -> Camera {
        var busy: CaptureError?
        for pause in Self.pauses {
            do throws(CaptureError) {
                return try await answer(text, clock: clock)
            } catch {
                // A camera that was busy is missing until udev has made its links again.
                guard error.code == .temporary || busy != nil && error.code == .noCamera else { throw error }
                let first = busy ?? error
                busy = first
                guard (try? await clock.sleep(for: pause)) != nil else { throw first }
            }
        }
        do throws(CaptureError) {
            return try await answer(text, clock: clock)
        } catch {
            throw busy ?? error
        }
    }

    /// Resolves the text on a thread that may block.
    private func answer(_ text: String, clock: some Clock<Duration>) async throws(CaptureError) -> Camera {
        do throws(CaptureError) {
            return try await Deadline(subject: text, clock: clock).bound("opening it") { () throws(CaptureError) in
                try await BlockingWork.run { () throws(CaptureError) in try resolve(text) }
            }
        } catch {
            guard error.code == .wedged else { throw error }
            throw CaptureError(
                .noCamera, "does not answer: its driver cannot open it", subject: text,
                advice: "reconnect it; if that does not help, see what dmesg says")
        }
    }
}

extension Camera {
    /// Finds the first usable camera, without blocking the caller. It is never the scene.
    ///
    /// - Throws: The errors of ``CameraCatalog/find(_:)``.
    public static func first() async throws(CaptureError) -> Camera {
        try await CameraCatalog.find(CameraCatalog.automatic)
    }
}
