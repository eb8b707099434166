// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import ArgumentParser
import CaptureBase
import TerminalKit
import UploadKit

/// A target, and pictures of it.
struct JobOptions: ParsableArguments {
    @Argument(help: "A target.")
    var target: String

    @Argument(help: ArgumentHelp("The numbers of pictures, which outbox show prints.", valueName: "number"))
    var jobs: [String] = []

    @Flag(help: "All dead pictures of the target.")
    var dead = false

    @OptionGroup var outbox: OutboxOptions

    func validate() throws {
        if dead, !jobs.isEmpty { throw ValidationError("--dead and numbers: give one of them") }
    }

    /// Adds a request for each picture, or for the target if there are none.
    ///
    /// - Returns: The number of requests.
    func request(_ verb: OutboxRequest.Verb) throws(CaptureError) -> Int {
        let target = try outbox.configuration().target(target)
        let store = try outbox.store()
        let numbers = try dead ? store.jobs(of: target.id, isDead: true).map(\.id) : numbers(store, target.id)
        if numbers.isEmpty, !dead { try store.add(OutboxRequest(verb, target: target.id)) }
        for number in numbers { try store.add(OutboxRequest(verb, target: target.id, job: number)) }
        return numbers.count
    }

    private func numbers(_ store: OutboxStore, _ target: String) throws(CaptureError) -> [Int64] {
        var numbers: [Int64] = []
        for text in jobs {
            let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
            guard let number = Int64(digits), try store.job(number)?.lane.target == target else {
                throw CaptureError(
                    .noInput, "there is no such picture in the outbox", subject: text.withoutControls,
                    advice: "gst-capture outbox show \(target) prints the numbers")
            }
            numbers.append(number)
        }
        return numbers
    }
}

extension OutboxProgram {
    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Try a target now, or send dead pictures again.",
            discussion: """
                Without numbers the target is tried now, in place of the end of its pause. With numbers or --dead, dead \
                pictures are sent again. A sender that is not running does so at its next start.
                """)

        @OptionGroup var options: JobOptions

        func run() throws {
            let count = try options.request(.retry)
            if options.dead { Console().report("\(count) pictures will be sent again") }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Do not send pictures to a target. Their files stay.")

        @OptionGroup var options: JobOptions

        func validate() throws {
            if !options.dead, options.jobs.isEmpty { throw ValidationError("give the numbers of pictures, or --dead") }
        }

        func run() throws {
            let count = try options.request(.drop)
            if options.dead { Console().report("\(count) pictures will not be sent") }
        }
    }

    struct Pause: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send nothing to a target until outbox resume, also after a restart.")

        @OptionGroup var options: TargetOptions

        func run() throws { try options.request(.pause) }
    }

    struct Resume: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Send to a target again.")

        @OptionGroup var options: TargetOptions

        func run() throws { try options.request(.resume) }
    }
}

/// One target.
struct TargetOptions: ParsableArguments {
    @Argument(help: "A target.")
    var target: String

    @OptionGroup var outbox: OutboxOptions

    func request(_ verb: OutboxRequest.Verb) throws(CaptureError) {
        let target = try outbox.configuration().target(target)
        try outbox.store().add(OutboxRequest(verb, target: target.id))
    }
}
#endif
