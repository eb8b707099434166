// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CameraKit
import CaptureBase
import FrameLink
import HTTPTypes
import Hummingbird
import NIOCore
import PipelineKit
import ServiceKit

// Frames for programs of this machine, such as `gst-capture snap`: they capture, encode and store pictures themselves,
// from a camera that the service holds. Only Unix sockets have these endpoints.
extension API {
    func frameEndpoints(_ access: ListenerAccess) -> [Endpoint] {
        guard access.reach == .socket else { return [] }
        return [
            devicesInUse, frames,
            loan(.get, "exposure", "The current exposure of a camera on loan.", .json("Exposure")) { loan in
                Response.json((await loan.exposure() ?? ExposureReading()).loanJSON)
            },
            loan(.post, "light", "Lights the flash if it is to fire for the next picture.", .json("Light")) { loan in
                Response.json(.object(["lit": .bool(try await loan.light())]))
            },
            loan(.post, "dark", "Turns the flash off.", .none) { loan in
                await loan.turnOff()
                return Response(status: .noContent)
            },
            loan(.post, "follow", "Adjusts the ramped controls to the newest frame.", .none) { loan in
                await loan.follow()
                return Response(status: .noContent)
            },
        ]
    }

    private var devicesInUse: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/frames",
            summary: "The devices of the cameras, for programs of this machine that use their frames.",
            content: .json("FrameCameras")
        ) { [service] _ in
            let ids = await service.status.cameras.map(\.id)
            // The search for a camera that is not connected takes its time.
            let devices = await withTaskGroup(of: (String, Camera?).self) { group in
                for id in ids { group.addTask { (id, try? await service.connected(id)) } }
                return await group.reduce(into: [String: Camera]()) { $0[$1.0] = $1.1 }
            }
            let cameras = ids.compactMap { id in
                devices[id].map { JSONValue.object(["id": .string(id), "device": $0.deviceJSON]) }
            }
            return Response.json(.object(["cameras": .array(cameras)]))
        }
    }

    private var frames: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/cameras/{camera}/frames",
            summary: "The frames of a camera as it delivers them, for a program of this machine. The body has settings "
                + "with the names and values of a preset.",
            parameters: [.camera], body: .json("LoanSettings"), content: .other([FrameResponse.type]),
            problems: [.notFound, .unprocessableContent, .tooManyRequests, .serviceUnavailable]
        ) { [service] request in
            do {
                let loan = try await service.lend(request.path("camera"), LoanSettings(request.body))
                return FrameResponse(loan, service, request.channel).response
            } catch let error as CaptureError where error.code == .configuration {
                // The camera does not offer a format or a size of the body.
                throw Problem(.unprocessableContent, error)
            }
        }
    }

    /// A request about a loan.
    private func loan(
        _ method: HTTPRequest.Method, _ name: String, _ summary: String, _ content: Endpoint.Content,
        _ respond: @escaping @Sendable (FrameLoan) async throws -> Response
    ) -> Endpoint {
        let parameter = Endpoint.Parameter(
            place: .path, name: "loan", summary: "The name of the loan, from the first record of its frames.",
            schema: .id)
        var status = HTTPResponse.Status.ok
        if case .none = content { status = .noContent }
        return Endpoint(
            method: method, path: "/api/v1/loans/{loan}/\(name)", summary: summary, parameters: [parameter],
            status: status, content: content, problems: [.notFound, .serviceUnavailable]
        ) { [service] request in try await respond(service.loan(request.path("loan"))) }
    }
}

extension ExposureReading {
    fileprivate var loanJSON: JSONValue {
        func value(_ number: Double?) -> JSONValue { number.map { .written("\($0)") } ?? .null }
        return .object([
            "exposure_time_s": value(time), "gain": value(gain), "sensitivity": value(sensitivity),
            "color_temperature_k": value(colorTemperature),
        ])
    }
}

/// The frames of a loan as `FrameRecord`s, for one program.
private struct FrameResponse: Sendable {
    static let type = "application/x-gst-capture-frames"

    private let loan: FrameLoan
    private let service: CaptureService
    private let channel: any Channel

    init(_ loan: FrameLoan, _ service: CaptureService, _ channel: any Channel) {
        (self.loan, self.service, self.channel) = (loan, service, channel)
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: Self.type],
            body: ResponseBody { writer in
                do {
                    try await write(to: &writer)
                    try await writer.finish(nil)
                } catch {
                    await service.close(loan)
                    throw error
                }
                await service.close(loan)
            })
    }

    @concurrent
    private func write(to writer: inout any ResponseBodyWriter) async throws {
        channel.last { [loan] in loan.end(CaptureError(.noCamera, "the program has gone", subject: "frames")) }
        try await writer.write(ByteBuffer(string: FrameRecord.open(loan.offer).line))
        async let _ = loan.run()
        var format: Caps?
        for await frame in loan.frames {
            if let caps = frame.sample.caps, caps != format {
                format = caps
                try await writer.write(ByteBuffer(string: FrameRecord.format(caps: caps.description).line))
            }
            try await writer.write(Self.part(frame))
        }
        let end = loan.failure ?? CaptureError(.noCamera, "the frames have ended")
        try await writer.write(ByteBuffer(string: FrameRecord.end(end).line))
    }

    /// Copies a frame: the camera needs its buffer back while the program is slow.
    private static func part(_ frame: Frame) throws -> ByteBuffer {
        try frame.sample.withPackedBytes { bytes in
            let line = FrameRecord.frame(time: frame.time, byteCount: bytes.count).line
            var buffer = ByteBufferAllocator().buffer(capacity: line.utf8.count + bytes.count)
            buffer.writeString(line)
            buffer.writeBytes(bytes)
            return buffer
        }
    }
}
#endif
