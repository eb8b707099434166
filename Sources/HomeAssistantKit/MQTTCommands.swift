// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase

/// A command that arrived over MQTT.
enum MQTTCommand: Sendable, Hashable, CustomStringConvertible {
    case snap(camera: String)
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
        case ("series", "set", "ON"): self = .resume(series: id)
        case ("series", "set", "OFF"): self = .stop(series: id)
        default: throw CaptureError(.usage, "is not ON or OFF", subject: "payload")
        }
    }

    /// The topic below that of the service, and the payload that counts.
    var description: String {
        switch self {
        case .snap(let camera): "camera/\(camera)/snap"
        case .resume(let series): "series/\(series)/set ON"
        case .stop(let series): "series/\(series)/set OFF"
        }
    }

    /// The series whose commands follow one another; `nil` for a command that waits for no other.
    fileprivate var series: String? {
        switch self {
        case .snap: nil
        case .resume(let series), .stop(let series): series
        }
    }
}

/// Performs commands, each in its own task: a camera that hangs keeps only its own pictures. The commands of a series
/// follow one another; of those that wait, the last one counts.
actor MQTTCommands {
    /// The maximum number of commands at the same time.
    static let most = 64

    private let perform: @Sendable (MQTTCommand) async -> Void
    private let scope = TaskScope()
    private var count = 0
    /// The series with a command that is being performed, and the command that follows.
    private var following: [String: MQTTCommand?] = [:]

    init(_ perform: @escaping @Sendable (MQTTCommand) async -> Void) { self.perform = perform }

    /// Performs commands until its own task is canceled.
    func run() async { await scope.run() }

    /// Starts a command.
    ///
    /// - Throws: `CaptureError` `.limit` if ``most`` commands are being performed.
    func start(_ command: MQTTCommand) throws(CaptureError) {
        if let series = command.series, following[series] != nil {
            following[series] = .some(command)
            return
        }
        guard count < Self.most else {
            throw CaptureError(
                .limit, "\(Self.most) commands are being performed", subject: "MQTT", advice: "try again later")
        }
        count += 1
        if let series = command.series { following[series] = .some(nil) }
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
        if let series = command.series, let next = following[series] ?? nil {
            following[series] = .some(nil)
            return next
        }
        if let series = command.series { following[series] = nil }
        count -= 1
        return nil
    }
}
#endif
