// Part of gst-capture. Apache License 2.0, see LICENSE.

extension CaptureError {
    /// One error for several: a single one as it is, else the first one's kind with a line for each.
    static func joining(_ errors: [CaptureError]) -> CaptureError? {
        guard let first = errors.first, errors.count > 1 else { return errors.first }
        return CaptureError(first.code, errors.map(\.description).joined(separator: "\n"))
    }

    /// Says why a value cannot be read.
    init(_ code: Code, _ invalid: InvalidValue, subject: String) {
        self.init(code, invalid.message, subject: subject, advice: invalid.advice)
    }
}
