// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import HTTPTypes
import Hummingbird
import PrintKit
import ServiceKit
import SessionKit

// Prints of the pictures of sessions.
extension API {
    var printEndpoints: [Endpoint] { [printer, printRun] }

    private var printer: Endpoint {
        Endpoint(
            method: .get, path: "/api/v1/sessions/{session}/printer",
            summary: "The state of the session's printer. The reasons are keywords of IPP, such as media-empty.",
            parameters: [.session], content: .json("Printer"), problems: [.notFound, .serviceUnavailable]
        ) { [self, prints] request in
            let printer = try await printer(of: request.path("session")).printer
            let state = try await prints.state(of: printer)
            return Response.json(state.json)
        }
    }

    private var printRun: Endpoint {
        Endpoint(
            method: .post, path: "/api/v1/sessions/{session}/runs/{run}/print",
            summary: "Prints the pictures of a run. The response comes when the job is in the queue of the printer.",
            parameters: [
                .session, .run,
                Endpoint.Parameter(
                    place: .query, name: "picture", summary: "The number of the only picture to print.",
                    schema: Self.pictureNumber),
                Endpoint.Parameter(
                    place: .query, name: "copies", summary: "The number of copies.",
                    schema: .integer(1...99, standard: 1)),
            ], isRecorded: true, status: .accepted, content: .json("PrintJob"),
            problems: [.notFound, .serviceUnavailable], access: .role(.kiosk)
        ) { [self, prints] request in
            let (session, printer) = try await printer(of: request.path("session"))
            let picture = try request.query("picture").map { _ in
                try request.number("picture", 1...999_999_999, standard: 1)
            }
            let (run, copies) = (request.path("run"), try request.number("copies", 1...99, standard: 1))
            let job = try await prints.print(picture, copies: copies, of: run, in: session, on: printer)
            // A printer without paper accepts jobs: the person wants to know why nothing comes.
            let state = try? await prints.state(of: printer)
            return Response.json(
                .object([
                    "job": .integer(job), "left": .integer(await prints.left(of: run, printer)),
                    "printer": state?.json ?? .null,
                ]), status: .accepted)
        }
    }

    private func printer(of id: String) async throws -> (session: ServiceSession, printer: ServicePrinter) {
        let session = try await service.session(id).session
        guard let printer = session.printer else {
            throw CaptureError(
                .noInput, "the session has no printer", subject: "session \(id.quoted)",
                advice: "add printer: to it in the configuration")
        }
        return (session, printer)
    }
}

extension Printer.State {
    fileprivate var json: JSONValue {
        .object([
            "state": .string(word), "accepting": .bool(isAccepting), "message": .string(message),
            "reasons": .array(reasons.map(JSONValue.string)),
        ])
    }
}
#endif
