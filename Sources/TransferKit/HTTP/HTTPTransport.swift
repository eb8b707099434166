// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// Sends pictures to an HTTP server, with `PUT` under their names or with `POST` in a form.
struct HTTPTransport: FetchingTransport {
    let confirmation = Confirmation.hash
    private let form: HTTPForm
    private let settings: UploadTarget.HTTP
    private let client: CurlClient

    var canErase: Bool { settings.canErase && settings.method == .put }

    init(_ target: UploadTarget, _ settings: UploadTarget.HTTP, stallLimit: Int) throws(CaptureError) {
        self.settings = settings
        form = try HTTPForm(target, settings)
        client = CurlClient(target, "http,https", stallLimit: stallLimit)
    }

    func deliver(
        _ upload: Upload, token: String?, keep: @escaping @Sendable (String) -> Void
    ) async throws(TransferFault) -> Delivery {
        let name = try PictureName(upload.name)
        return try await run { session, secret throws(TransferFault) in
            let file = try PictureFile(upload, session.session.cancellation)
            let request = try form.request(upload, name, file, secret)
            let response = try session.send(request)
            if [409, 412].contains(response.status) {
                guard settings.method == .put else { throw .nameTaken("the server has another file of this name") }
                let headers = try form.headers(upload.values, secret)
                let found = try session.readBack(upload, request.address, headers: headers)
                // 409 has more than one meaning.
                if case .missing = found, let fault = TransferFault(response), response.status == 409 { throw fault }
                return try found.delivery()
            }
            if let fault = TransferFault(response) { throw fault }
            return .confirmed(HTTPProof(response).shows(upload.sha256) ? .hash : .answer)
        }
    }

    func confirm(_ upload: Upload) async throws(TransferFault) -> Confirmation {
        try checkReading()
        let name = try PictureName(upload.name)
        return try await run { session, secret throws(TransferFault) in
            let headers = try form.headers(upload.values, secret)
            let address = try form.address(name, upload.values)
            return try session.readBack(upload, address, headers: headers).confirmation()
        }
    }

    func has(_ name: String) async throws(TransferFault) -> Bool {
        try checkReading()
        let name = try PictureName(name)
        return try await run { session, secret throws(TransferFault) in
            try session.has(try form.address(name, [:]), headers: try form.headers(nil, secret))
        }
    }

    func fetch(_ download: Download) async throws(TransferFault) -> Bool {
        try checkReading()
        let name = try PictureName(download.name)
        return try await run { session, secret throws(TransferFault) in
            try session.fetch(download, try form.address(name, [:]), headers: try form.headers(nil, secret))
        }
    }

    private func checkReading() throws(TransferFault) {
        guard settings.method == .put else { throw .refused("pictures that were sent in a form cannot be read back") }
    }

    func erase(_ name: String) async throws(TransferFault) {
        guard canErase else { throw .refused("this target cannot erase pictures") }
        let name = try PictureName(name)
        try await run { session, secret throws(TransferFault) in
            let headers = try form.headers(nil, secret)
            try session.erase(try form.address(name, [:]), headers: headers)
        }
    }

    private func run<Success: Sendable>(
        _ body: @escaping @Sendable (HTTPSession, String?) throws(TransferFault) -> Success
    ) async throws(TransferFault) -> Success {
        try await client.run { session throws(TransferFault) in
            try body(try HTTPSession(session, settings.login), try settings.secret?.value())
        }
    }
}
#endif
