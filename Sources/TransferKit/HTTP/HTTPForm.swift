// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CaptureBase
import UploadKit

/// Makes the requests of an HTTP target from its templates.
struct HTTPForm {
    private enum Address {
        case folder(ServerAddress)
        case template(Template)
    }

    private let address: Address
    private let fileField: String
    private let headers: [Field]
    private let fields: [Field]

    private struct Field {
        var name: String
        var value: Template
    }

    /// - Throws: `CaptureError` if the address, a name or a template is invalid.
    init(_ target: UploadTarget, _ settings: UploadTarget.HTTP) throws(CaptureError) {
        fileField = settings.fileField
        headers = try Self.fields(settings.headers, .header)
        fields = try Self.fields(settings.fields, .field)
        let folder = try ServerAddress(target.address, schemes: ["https", "http"])
        switch settings.method {
        case .put: address = .folder(folder)
        case .post: address = .template(try Template(target.address, in: .address, subject: target.address))
        }
    }

    private static func fields(
        _ all: [UploadTarget.Field], _ place: Template.Place
    ) throws(CaptureError) -> [Field] {
        var fields: [Field] = []
        for field in all {
            let isName = !field.name.isEmpty && field.name.utf8.allSatisfy { place == .field || $0.isWordCharacter }
            guard isName else {
                throw CaptureError(.configuration, "is not the name of a header", subject: field.name)
            }
            fields.append(Field(name: field.name, value: try Template(field.value, in: place, subject: field.name)))
        }
        return fields
    }

    /// Returns the request that delivers a picture.
    func request(
        _ upload: Upload, _ name: PictureName, _ file: PictureFile, _ secret: String?
    ) throws(TransferFault) -> CurlRequest {
        let digest = "sha-256=:\(upload.sha256.base64OfHexadecimal):"
        let common = try headers(upload.values, secret) + ["Idempotency-Key: \"\(upload.sha256)\""]
        let address = try address(name, upload.values)
        switch self.address {
        case .folder:
            let own = ["If-None-Match: *", "Content-Digest: \(digest)", "Content-Type: \(name.mediaType)"]
            return CurlRequest("PUT", address, headers: own + common, body: .file(file, 0..<file.byteCount))
        case .template:
            var parts: [UploadTarget.Field] = []
            for field in fields { parts.append(.init(field.name, try field.value.text(upload.values))) }
            let form = CurlForm(
                fields: parts, fileField: fileField, fileName: name.file,
                mediaType: name.mediaType, file: file)
            return CurlRequest("POST", address, headers: common, body: .form(form))
        }
    }

    /// Returns the address of a picture.
    func address(_ name: PictureName, _ values: [String: String]) throws(TransferFault) -> String {
        switch address {
        case .folder(let folder): folder.url(name.text)
        case .template(let template): try template.text(values)
        }
    }

    /// Returns the lines of the target's headers.
    ///
    /// - Parameter values: Those of the picture; `nil` for a request without them, which has no header that needs them.
    func headers(_ values: [String: String]?, _ secret: String?) throws(TransferFault) -> [String] {
        var lines: [String] = []
        for header in headers where values != nil || !header.value.hasValues {
            let value = try header.value.text(values ?? [:], secret: secret)
            // libcurl removes a header without a value, and sends one with a semicolon.
            lines.append(value.isEmpty ? "\(header.name);" : "\(header.name): \(value)")
        }
        return lines
    }
}
#endif
