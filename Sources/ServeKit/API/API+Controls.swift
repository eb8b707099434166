// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CameraKit
import CaptureBase
import HTTPTypes
import Hummingbird
import ServiceKit

// The controls of cameras, and the cameras of this machine.
extension API {
    var controlEndpoints: [Endpoint] {
        [
            read, set,
            change("controls/reset", "Sets all controls to the driver's defaults, and undoes a lock and ramps.") { _ in
                .reset
            },
            change(
                "lock", "Freezes automatic controls at their present values, also after the camera was unplugged.",
                parameters: [
                    .query(
                        "controls", "What to freeze: exposure, white-balance, focus. All of them without it.",
                        schema: .words)
                ]
            ) { request in .lock(try Self.properties(request)) },
            change(
                "ramp",
                "Ramps automatic controls from the next picture on: they follow the light from picture to picture, in "
                    + "steps so small that a film of the pictures does not flicker.",
                parameters: [
                    .query(
                        "controls", "What to ramp: exposure, white-balance. Both without it.", schema: .words)
                ]
            ) { request in .ramp(try Self.properties(request)) },
            change("unlock", "Undoes the lock and the ramps: the camera controls these properties again.") { _ in
                .unlock
            },
        ]
    }

    var deviceEndpoints: [Endpoint] { [devices, formats, switchCamera] }

    private var read: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/cameras/{camera}/controls",
            summary: "The controls of a camera, with their values and ranges. The built-in scene has none.",
            parameters: [.camera], content: .json("Controls"), problems: [.notFound]
        ) { [service] request in
            Response.json(try await service.controls(of: request.path("camera"), .read).json)
        }
    }

    private var set: Endpoint {
        Endpoint(
            method: .patch, path: "/api/v1/cameras/{camera}/controls",
            summary: "Sets controls: numbers, a share such as 50%, on and off, the words of a menu, or default. They "
                + "keep their values until the service ends, also if the camera is unplugged.",
            parameters: [.camera], isRecorded: true, body: .json("ControlValues"), content: .json("Controls"),
            problems: [.notFound], access: .role(.capture)
        ) { [service] request in
            let values = try ControlValues(request.body).assignments
            return Response.json(try await service.controls(of: request.path("camera"), .set(values)).json)
        }
    }

    private func change(
        _ name: String, _ summary: String, parameters: [Endpoint.Parameter] = [],
        _ change: @escaping @Sendable (APIRequest) throws -> ControlRequest
    ) -> Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/cameras/{camera}/\(name)", summary: summary,
            parameters: [.camera] + parameters, isRecorded: true, content: .json("Controls"), problems: [.notFound]
        ) { [service] request in
            Response.json(try await service.controls(of: request.path("camera"), try change(request)).json)
        }
    }

    /// Returns the properties that a request names; all of them if it names none.
    private static func properties<Property: RawRepresentable<String> & CaseIterable & Hashable>(
        _ request: APIRequest
    ) throws(Problem) -> Set<Property> {
        guard let words = try request.words("controls") else { return Set(Property.allCases) }
        let properties = words.compactMap(Property.init(rawValue:))
        guard properties.count == words.count else {
            throw Problem(
                .badRequest, "controls: has an unknown word",
                advice: "give " + Property.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return Set(properties)
    }

    private var devices: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/devices",
            summary: "The cameras that are connected to this machine, with their formats.", content: .json("Devices")
        ) { [search] _ in Response.json(.object(["devices": .array(try await search.cameras().map(\.json))])) }
    }

    /// Checks that a text is no path, or that of a camera: a client must not learn which other files there are.
    private func checkDevice(_ text: String) async throws {
        guard text.contains("/") else { return }
        let isCamera = try await search.cameras().contains {
            $0.path == text || $0.libcameraName == text || $0.aliases.contains(text)
        }
        guard !isCamera else { return }
        throw CaptureError(
            .noCamera, "there is no such camera", subject: text.quoted, advice: "GET /api/v1/devices lists them")
    }

    private var formats: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/cameras/{camera}/formats",
            summary: "The formats that the camera offers, with their sizes and frame rates.",
            parameters: [.camera], content: .json("Formats"), problems: [.notFound]
        ) { [service] request in
            let camera = try await service.connected(request.path("camera"))
            return Response.json(.object(["formats": .array(camera.formats.map(\.json))]))
        }
    }

    private var switchCamera: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/cameras/{camera}/switch",
            summary: "Uses another device as this camera, until the configuration is loaded again. Its series "
                + "continue with that device.",
            parameters: [
                .camera, .query("device", "The device: an ID of /api/v1/devices, a name, or scene.", isRequired: true),
            ], isRecorded: true, responses: [(.accepted, .json("Camera"))], problems: [.notFound]
        ) { [self] request in
            let id = request.path("camera")
            do {
                let device = request.query("device") ?? ""
                try await checkDevice(device)
                try await service.switchCamera(id, to: device)
            } catch let error as CaptureError where error.code == .noCamera {
                throw Problem(.notFound, error)
            }
            guard let camera = await service.status.cameras.first(where: { $0.id == id }) else {
                throw CaptureError.unknown("camera", id)
            }
            return Response.json(camera.json, status: .accepted)
        }
    }
}

/// The values of controls that a client sends: a JSON object of names and values.
struct ControlValues {
    let assignments: [ControlAssignment]

    private static let mostControls = 64
    private static let mostTextBytes = 1024

    init(_ bytes: [UInt8]) throws(Problem) {
        let (example, most) = (#"{"brightness": "50%"}"#, 2 * Self.mostControls + 1)
        let object = try JSONNode.body(bytes, levels: 2, mostValues: most, example: example) {
            node throws(CaptureError) in try node.scalars()
        }
        guard !object.isEmpty, Set(object.map(\.name)).count == object.count,
            object.allSatisfy({ !$0.name.isEmpty && $0.value.utf8.count <= Self.mostTextBytes })
        else {
            throw Problem(
                .badRequest, "the body names no control, or one twice", advice: "send an object such as \(example)")
        }
        assignments = object.map { ControlAssignment(name: $0.name, value: $0.value) }
    }
}
#endif
