// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import MQTTKit

/// Sends the last picture of each camera to a broker. Each camera has its own task, so that a disk that hangs keeps only
/// the pictures that are on it; of several pictures that come meanwhile, the newest follows.
actor PictureReports {
    /// A picture of a camera.
    struct Picture: Sendable, Hashable {
        /// Identifies the picture among those of its camera.
        let name: String
        /// The bytes; `nil` to read them from ``path``.
        let bytes: [UInt8]?
        let path: String?
    }

    /// The steps that wait for a disk, a processor or the network.
    struct Steps: Sendable {
        /// Returns the bytes of a picture; `nil` if it is no JPEG, or gone.
        let read: @Sendable (Picture) async -> [UInt8]?
        /// Returns a JPEG of at most this size in bytes; `nil` if that is not possible.
        let shrink: @Sendable (_ bytes: [UInt8], _ most: Int) async -> [UInt8]?
        /// Sends the picture of a camera.
        let send: @Sendable (_ camera: String, _ bytes: [UInt8]) async -> MQTTOutcome
        /// Logs a warning.
        let warn: @Sendable (String) -> Void
    }

    private struct Camera {
        var newest: Picture?
        /// The name of the last picture that was sent, or is being sent.
        var last: String?
        var isBusy = false
        /// The end of the time in which nothing is sent, after a refusal.
        var refusalEnd: ContinuousClock.Instant?
        var wasRefused = false
    }

    private let steps: Steps
    private let scope = TaskScope()
    /// Pictures are made smaller one after the other: a decoded one is large.
    private let turns = Turns()
    private var cameras: [String: Camera] = [:]
    private var isConnected = false
    private var size = PictureSize()

    private static let refusal = Duration.seconds(3600)

    init(_ steps: Steps) { self.steps = steps }

    /// Runs the tasks of all cameras until its own task is canceled.
    func run() async { await scope.run() }

    /// Sends the pictures that are new.
    func update(_ pictures: [String: Picture]) {
        for id in cameras.keys where pictures[id] == nil { cameras[id]?.newest = nil }
        cameras = cameras.filter { $1.isBusy || $1.newest != nil }
        for (id, picture) in pictures {
            cameras[id, default: Camera()].newest = picture
            start(id)
        }
    }

    /// Sends the last picture of each camera again: the broker may know none.
    func connect() {
        isConnected = true
        for id in cameras.keys {
            cameras[id]?.last = nil
            start(id)
        }
    }

    /// Sends nothing until ``connect()``.
    func disconnect() { isConnected = false }

    private func start(_ id: String) {
        guard isConnected, let camera = cameras[id], !camera.isBusy, let picture = camera.newest,
            camera.last != picture.name, camera.refusalEnd.map({ $0 <= .now }) ?? true
        else { return }
        cameras[id]?.isBusy = true
        cameras[id]?.last = picture.name
        scope.add { [self] in
            await send(picture, of: id)
            await finish(id)
        }
    }

    private func finish(_ id: String) {
        cameras[id]?.isBusy = false
        start(id)
    }

    private func send(_ picture: Picture, of id: String) async {
        guard let bytes = await steps.read(picture) else { return }
        while !Task.isCancelled {
            guard let most = size.most(at: .now) else { return reportSize() }
            guard let fitting = bytes.count <= most ? bytes : await shrunk(bytes, most) else { return }
            switch await steps.send(id, fitting) {
            case .tooLarge(let limit): size.shrink(after: fitting.count, most: limit, at: .now)
            case .refused(let reason): return refuse(id, reason)
            case .delivered:
                cameras[id]?.refusalEnd = nil
                cameras[id]?.wasRefused = false
                return reportSize()
            case .replaced, .unsent: return
            }
        }
    }

    private func reportSize() { if let line = size.report() { steps.warn(line) } }

    private func refuse(_ id: String, _ reason: String) {
        cameras[id]?.refusalEnd = .now.advanced(by: Self.refusal)
        guard cameras[id]?.wasRefused == false else { return }
        cameras[id]?.wasRefused = true
        steps.warn("pictures of \(id.quoted) are not sent for an hour: \(reason)")
    }

    private func shrunk(_ bytes: [UInt8], _ most: Int) async -> [UInt8]? {
        await turns.take()
        defer { turns.end() }
        return Task.isCancelled ? nil : await steps.shrink(bytes, most)
    }
}
#endif
