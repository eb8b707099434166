// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import Glibc
import PipelineKit
import StillKit
import VideoKit

/// The names of the files of a recording, which it creates one after the other.
struct ClipNames: Sendable {
    private let template: FileNameTemplate
    /// Accounts for the files; `nil` if nothing does.
    private let accounting: (any ClipAccounting)?

    init(_ template: FileNameTemplate, _ accounting: (any ClipAccounting)? = nil) {
        (self.template, self.accounting) = (template, accounting)
    }

    /// How many names are tried for a time: clips of the same second, and those of an hour that the end of summer time
    /// repeats, have the same time in their names.
    private static let mostNames = 100

    /// Creates the next file. A number that another file has is skipped; a name with a time that is taken gets a number:
    /// `120000-2.mp4`.
    ///
    /// - Parameters:
    ///   - number: The number of the previous file; `nil` for the first.
    ///   - time: When the first picture was captured.
    /// - Returns: The writer of the file, and its number.
    /// - Throws: `CaptureError` if the file cannot be created.
    func create(
        after number: Int?, at time: WallTime, format: ClipFormat, video: Caps, sound: Caps?
    ) async throws(CaptureError) -> (writer: ClipWriter, number: Int) {
        var next = if let number { number + 1 } else { await firstNumber(time) }
        var attempt = 0
        while true {
            let path = StillName(template.render(time, sequence: next)).path(attempt)
            do throws(CaptureError) {
                try await accounting?.plan(path, start: time, format: format)
                return (try await create(path, video: video, sound: sound), next)
            } catch {
                guard error.systemError == EEXIST else { throw error }
                if template.usesSequence { next += 1 } else { attempt += 1 }
                guard template.isPattern, attempt < Self.mostNames else { throw .existingClip(path) }
            }
        }
    }

    private func create(_ path: String, video: Caps, sound: Caps?) async throws(CaptureError) -> ClipWriter {
        do throws(CaptureError) {
            try await BlockingWork.run { () throws(CaptureError) in try StillFolder.make(StillFolder.path(of: path)) }
            let writer = try await ClipWriter.create(path, video: video, sound: sound)
            try await BlockingWork.run { () throws(CaptureError) in try StillFolder.syncName(of: path) }
            return writer
        } catch {
            await accounting?.fail(path, because: error)
            throw error
        }
    }

    private func firstNumber(_ time: WallTime) async -> Int {
        await BlockingWork.run { [template] in template.usesSequence ? template.nextSequence(time) : 1 }
    }
}

extension CaptureError {
    fileprivate static func existingClip(_ path: String) -> CaptureError {
        CaptureError(
            .cannotCreate, "exists already", subject: path, advice: "put %n or a time into the name, or move the file")
    }
}
