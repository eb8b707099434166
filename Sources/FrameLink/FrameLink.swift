// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import PipelineKit
import Synchronization
import SystemBase

/// The frames of a camera that a service of this machine holds.
///
/// An actor with its own thread, as reading blocks. ``cancel()`` ends its calls at once.
package actor FrameLink {
    private let executor = BlockingExecutor("gst-capture.link")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private nonisolated let camera: ServedCamera
    private nonisolated let state = Mutex(State())
    private var response: LocalResponse?

    private struct State {
        var connection: LocalConnection?
        var isCanceled = false
        var failure: CaptureError?
    }

    /// How long the service may take to open the camera. Its own limit is shorter.
    private static let openingLimit = 60
    /// How long no frame may come. The reader of the frames has a shorter limit.
    private static let silenceLimit = 3600

    /// Creates a link to a camera; nothing is requested yet.
    package init(to camera: ServedCamera) { self.camera = camera }

    /// The error that ended the frames; `nil` if there is none.
    package nonisolated var failure: CaptureError? { state.withLock { $0.failure } }

    /// Requests the frames, and waits until the camera is open and its picture is steady.
    ///
    /// - Parameter settings: The settings of the camera, with the names and values of a preset.
    /// - Throws: The error of the service: `CaptureError` `.noCamera` if the camera is not connected, `.temporary` if
    ///   the settings contradict those of a job that uses it.
    package func begin(_ settings: JSONValue) throws(CaptureError) -> FrameOffer {
        let connection = try connect()
        let isCanceled = state.withLock { state in
            state.connection = connection
            return state.isCanceled
        }
        guard !isCanceled else { throw CaptureError(.temporary, "was canceled") }
        connection.limitReceiving(to: Self.openingLimit)
        let request = LocalRequest(method: "POST", target: "/api/v1/cameras/\(camera.id)/frames", body: settings)
        let response = try LocalResponse(to: request, on: connection)
        guard response.status == 200 else {
            throw CaptureError(problem: try response.body(), status: response.status)
        }
        guard let line = try response.line(), case .open(let offer) = try FrameRecord(line: line) else {
            throw response.damaged("does not begin with a camera")
        }
        connection.limitReceiving(to: Self.silenceLimit)
        self.response = response
        return offer
    }

    /// Connects to the service. A service that does not run is a lost camera.
    private func connect() throws(CaptureError) -> LocalConnection {
        do throws(CaptureError) {
            return try LocalConnection(camera.socket)
        } catch {
            guard error.code == .noInput else { throw error }
            throw CaptureError(
                .noCamera, "its service does not run", subject: camera.description,
                advice: "start it with gst-capture serve")
        }
    }

    /// Pushes the frames into a source of a pipeline, until the service or ``cancel()`` ends them. Blocks the thread of
    /// the actor.
    ///
    /// - Parameters:
    ///   - source: The source, at whose end the pipeline reports ``failure`` as an error.
    ///   - base: The moment at which the running time of the pipeline is 0. Earlier frames are skipped.
    package func push(into source: AppSource, base: ClockTime) {
        do throws(CaptureError) {
            guard let response else { return }
            while let line = try response.line() {
                switch try FrameRecord(line: line) {
                case .open: throw response.damaged("opens a camera twice")
                case .format(let text):
                    guard let caps = try? Caps(text), caps.isFixed else { throw response.damaged("has wrong caps") }
                    source.setCaps(caps)
                case .frame(let time, let count):
                    let buffer = try Self.buffer(of: response, count, at: time, base)
                    if time >= base { try Self.push(buffer, into: source) }
                case .end(let error): throw error
                }
            }
            throw CaptureError(.noCamera, "the service has ended", subject: camera.description)
        } catch {
            let isCanceled = state.withLock { state in
                if !state.isCanceled { state.failure = error }
                return state.isCanceled
            }
            if !isCanceled { source.fail(error.description) }
        }
        response = nil
    }

    /// Ends the frames. The service takes the camera back.
    package nonisolated func cancel() {
        let connection = state.withLock { state in
            state.isCanceled = true
            return state.connection
        }
        connection?.cancel()
    }

    private static func buffer(
        of response: LocalResponse, _ count: Int, at time: ClockTime, _ base: ClockTime
    ) throws(CaptureError) -> Buffer {
        let running = ClockTime(nanoseconds: UInt64(max(0, (time - base).nanoseconds)))
        var failure: CaptureError?
        let buffer = try? Buffer(count: count, presentationTime: running) { memory in
            do throws(CaptureError) { try response.read(into: memory) } catch { failure = error }
        }
        if let failure { throw failure }
        guard let buffer else {
            throw CaptureError(.temporary, "there is no memory for a frame of \(count) bytes")
        }
        return buffer
    }

    private static func push(_ buffer: Buffer, into source: AppSource) throws(CaptureError) {
        do throws(PipelineError) { try source.push(buffer) } catch {
            throw CaptureError(.temporary, "was canceled")
        }
    }
}

/// Requests about a camera on loan. Each is one short exchange with the service.
package struct LoanRequests: Sendable {
    private let camera: ServedCamera
    private let loan: String

    package init(_ camera: ServedCamera, _ offer: FrameOffer) { (self.camera, loan) = (camera, offer.loan) }

    /// Returns the current exposure, as far as the service knows it.
    package func exposure() async throws(CaptureError) -> ExposureReading {
        let node = try await exchange("exposure", method: "GET")
        var reading = ExposureReading()
        reading.time = try node.optionalNumber("exposure_time_s")
        reading.gain = try node.optionalNumber("gain")
        reading.sensitivity = try node.optionalNumber("sensitivity")
        reading.colorTemperature = try node.optionalNumber("color_temperature_k")
        return reading
    }

    /// Lights the flash if it is to fire for the next picture. Returns `true` if it is lit.
    package func light() async throws(CaptureError) -> Bool { try await exchange("light").flag("lit") }

    /// Turns the flash off.
    package func turnOff() async throws(CaptureError) { _ = try await exchange("dark") }

    /// Adjusts the ramped controls to the newest frame.
    package func follow() async throws(CaptureError) { _ = try await exchange("follow") }

    private func exchange(_ action: String, method: String = "POST") async throws(CaptureError) -> JSONNode {
        try await LocalService(socket: camera.socket).exchange(
            LocalRequest(method: method, target: "/api/v1/loans/\(loan)/\(action)"))
    }
}
