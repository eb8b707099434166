// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import CaptureKit
import PipelineKit
import ScheduleKit
import StillKit

/// The pictures that a client requests together.
public struct PictureRequest: Sendable, Hashable {
    /// How long to wait before the first picture.
    public var delay: Duration
    /// The number of pictures, from 1.
    public var count: Int
    /// The time from one picture to the next; `nil` for consecutive frames.
    public var interval: Duration?
    /// `true` for a live photo, which is a single picture.
    public var isLive: Bool
    /// How long before the request the frame of a single picture was captured, as far as the camera's setting `history`
    /// reaches; zero for a frame after it.
    public var lead: Duration
    /// When the client made the request.
    private let time = PipelineClock.system.now

    /// Creates a request that a client makes now.
    public init(
        delay: Duration = .zero, count: Int = 1, interval: Duration? = nil, isLive: Bool = false,
        lead: Duration = .zero
    ) {
        (self.delay, self.count, self.interval, self.isLive) = (delay, count, interval, isLive)
        self.lead = lead
    }

    /// The moment of the frame; `nil` for a frame after the request.
    var earlierMoment: ClockTime? { lead > .zero ? time - lead : nil }

    /// Applies the request to the configuration of a single picture.
    func apply(to configuration: inout CaptureConfiguration) {
        configuration.delay = delay
        guard count > 1 else { return }
        if let interval { configuration.schedule = .every(interval, count: count) } else { configuration.burst = count }
    }
}

/// Captures pictures for clients and stores them. With ``RequestJournal``, a request that was interrupted by a crash has
/// no second picture when it is repeated.
public struct PictureRequests: Sendable {
    /// The requests with their responses.
    public let journal: RequestJournal
    private let service: CaptureService

    /// - Parameter state: The folder of the service's state; `nil` for none.
    public init(_ service: CaptureService, state: String?) {
        self.service = service
        journal = RequestJournal(state.map { $0 + "/requests" })
    }

    /// Captures pictures with the settings of a camera, and stores them. They are durable on return.
    ///
    /// - Parameters:
    ///   - id: The ID of the camera.
    ///   - name: The name of the request in the journal; `nil` if it has none.
    /// - Returns: The pictures: fewer than requested if the camera failed meanwhile.
    /// - Throws: As ``CaptureService/snap(_:)``; `CaptureError` `.usage` if the camera has no output.
    public func capture(
        _ request: PictureRequest, with id: String, name: String?
    ) async throws(CaptureError) -> [StillRecord] {
        let journal = journal
        let (ids, series) = try await service.desk(id).store(request) { picture, isAgain in
            if let name { await journal.plan(picture, for: name, replacing: isAgain) }
        }
        return try await records(ids, series, id)
    }

    /// Captures a picture for a button or a message, which have no use for its bytes. Stores it if the camera stores
    /// pictures.
    ///
    /// - Throws: As ``capture(_:with:name:)``.
    public func snap(_ camera: String) async throws(CaptureError) {
        if try await service.storesPictures(camera) {
            _ = try await capture(PictureRequest(), with: camera, name: nil)
        } else {
            _ = try await service.snap(camera)
        }
    }

    /// Makes the response of a request, by its name, with the pictures that it stored. If it returns `nil`, the request
    /// is forgotten, and captures when it is repeated.
    public typealias RecoveredResponse = @Sendable (_ name: String, [StillRecord]) -> RecordedResponse?

    /// Answers the requests that an earlier process left: with the pictures that it stored. One that cannot be answered
    /// now, such as because a disk is missing, is answered when it is repeated.
    ///
    /// - Returns: The error of each of them.
    public func recover(_ response: RecoveredResponse) async -> [CaptureError] {
        do throws(CaptureError) {
            var errors: [CaptureError] = []
            for name in try await journal.interrupted() {
                do throws(CaptureError) { _ = try await resume(name, response) } catch { errors.append(error) }
            }
            return errors
        } catch {
            return [error]
        }
    }

    /// Answers a request that was interrupted with the pictures that it stored; `nil` if it stored none and is
    /// forgotten, or is not interrupted anymore.
    ///
    /// - Throws: `CaptureError` if the pictures or the ledger cannot be read. The request stays interrupted.
    public func resume(
        _ name: String, _ response: RecoveredResponse
    ) async throws(CaptureError) -> RecordedResponse? {
        guard let record = try await journal.resume(name) else { return nil }
        do throws(CaptureError) {
            var stills: [StillRecord] = []
            for picture in record.pictures {
                guard let desk = try? await service.desk(picture.camera),
                    let (found, series) = try await desk.recover(picture)
                else { continue }
                stills += try await records([found], series, desk.id)
            }
            guard let response = response(name, stills) else {
                await journal.forget(name)
                return nil
            }
            // If it cannot be written, it stays in memory.
            try? await journal.finish(name, response)
            return response
        } catch {
            await journal.release(name)
            throw error
        }
    }

    /// Returns the recorded response of a request; `nil` while it is being answered.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such request, and as ``resume(_:_:)``.
    public func response(
        to name: String, _ response: RecoveredResponse
    ) async throws(CaptureError) -> RecordedResponse? {
        if let answered = try await resume(name, response) { return answered }
        return try await journal.response(to: name)
    }

    /// Removes a picture that a client requested. The removal is durable on return.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such picture, `.usage` if it belongs to a series.
    public func remove(_ id: StillID) async throws(CaptureError) {
        let series = await service.allPictures
        let still = try await BlockingWork.run { () throws(CaptureError) in try StillCatalog.still(id, in: series) }
        guard series.contains(where: { $0.camera == id.series && $0.series.id == id.series }) else {
            throw CaptureError(
                .usage, "belongs to a series, whose limits remove its pictures", subject: id.description,
                advice: "set max-age, max-count or max-size for the series")
        }
        try await service.desk(id.series).remove(still)
    }

    private func records(
        _ ids: [StillID], _ series: ServiceSeries, _ camera: String
    ) async throws(CaptureError) -> [StillRecord] {
        try await BlockingWork.run { () throws(CaptureError) in
            try ids.map { id throws(CaptureError) in try StillCatalog.still(id, in: [(camera, series)]) }
        }
    }
}

extension CaptureError {
    /// The error of a request that ``CaptureService/callOff(_:)`` ended before its first picture.
    package static func canceledRequest(_ camera: String) -> CaptureError {
        CaptureError(.temporary, "was canceled by another request", subject: camera)
    }

    /// The error of a request for an earlier frame of a camera without the setting `history`.
    package static func keepsNoFrames(_ camera: String) -> CaptureError {
        CaptureError(
            .usage, "keeps no frames from before a request", subject: camera,
            advice: "add history: 500ms to the camera in the configuration, or leave out at")
    }

    /// The error of a request for an earlier frame of a camera that was closed then.
    package static func hadNoFrame(_ camera: String) -> CaptureError {
        CaptureError(
            .temporary, "has no frame of that moment: it was closed, or being opened", subject: camera,
            advice: "request it while a series, a viewer or another job has the camera open, or leave out at")
    }
}
