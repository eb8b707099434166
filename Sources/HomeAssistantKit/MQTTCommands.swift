// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// A command that arrived over MQTT.
enum MQTTCommand: Sendable, Hashable, CustomStringConvertible {
    case snap(camera: String)
    case record(camera: String)
    case stopRecording(camera: String)
    case trigger(camera: String)
    case resume(series: String)
    case stop(series: String)

    /// Reads a message on a topic of commands.
    ///
    /// - Throws: `CaptureError` `.usage` if the message is no command.
    init(topic: String, below prefix: String, _ text: String?) throws(CaptureError) {
        let rest = topic.utf8.dropFirst(prefix.utf8.count + 1)
        let levels = String(decoding: rest, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        guard levels.count == 3 else { throw CaptureError(.usage, "is not known", subject: "topic") }
        let id = levels[1]
        switch (levels[0], levels[2], text) {
        case ("camera", "snap", _): self = .snap(camera: id)
        case ("camera", "trigger", _): self = .trigger(camera: id)
        case ("camera", "record", "ON"): self = .record(camera: id)
        case ("camera", "record", "OFF"): self = .stopRecording(camera: id)
        case ("series", "set", "ON"): self = .resume(series: id)
        case ("series", "set", "OFF"): self = .stop(series: id)
        default: throw CaptureError(.usage, "is not ON or OFF", subject: "payload")
        }
    }

    /// The topic below that of the service, and the payload that counts.
    var description: String {
        switch self {
        case .snap(let camera): "camera/\(camera)/snap"
        case .record(let camera): "camera/\(camera)/record ON"
        case .stopRecording(let camera): "camera/\(camera)/record OFF"
        case .trigger(let camera): "camera/\(camera)/trigger"
        case .resume(let series): "series/\(series)/set ON"
        case .stop(let series): "series/\(series)/set OFF"
        }
    }

    /// The series or the recordings whose commands follow one another; `nil` for a command that waits for no other.
    fileprivate var lane: Lane? {
        switch self {
        case .snap, .trigger: nil
        case .record(let camera), .stopRecording(let camera): .recordings(camera)
        case .resume(let series), .stop(let series): .series(series)
        }
    }

    fileprivate enum Lane: Hashable {
        case recordings(String)
        case series(String)
    }
}

/// Performs commands, each in its own task: a camera that hangs keeps only its own pictures. The commands of a series, and
/// those of a camera's recordings, follow one another; of those that wait, the last one counts.
actor MQTTCommands {
    /// The maximum number of commands at the same time.
    static let most = 64

    private let perform: @Sendable (MQTTCommand) async -> Void
    private let scope = TaskScope()
    private var count = 0
    /// The lanes with a command that is being performed, and the command that follows.
    private var following: [MQTTCommand.Lane: MQTTCommand?] = [:]

    init(_ perform: @escaping @Sendable (MQTTCommand) async -> Void) { self.perform = perform }

    /// Performs commands until its own task is canceled.
    func run() async { await scope.run() }

    /// Starts a command.
    ///
    /// - Throws: `CaptureError` `.limit` if ``most`` commands are being performed.
    func start(_ command: MQTTCommand) throws(CaptureError) {
        if let lane = command.lane, following[lane] != nil {
            following[lane] = .some(command)
            return
        }
        guard count < Self.most else {
            throw CaptureError(
                .limit, "\(Self.most) commands are being performed", subject: "MQTT", advice: "try again later")
        }
        count += 1
        if let lane = command.lane { following[lane] = .some(nil) }
        scope.add { [self] in
            var next: MQTTCommand? = command
            while let command = next {
                await perform(command)
                next = await end(command)
            }
        }
    }

    /// Ends a command. Returns the one that follows it.
    private func end(_ command: MQTTCommand) -> MQTTCommand? {
        if let lane = command.lane, let next = following[lane] ?? nil {
            following[lane] = .some(nil)
            return next
        }
        if let lane = command.lane { following[lane] = nil }
        count -= 1
        return nil
    }
}
#endif
