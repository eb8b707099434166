// Part of gst-capture. Apache License 2.0, see LICENSE.

extension CaptureError {
    /// Joins errors into one, with the code of the first and a line for each. A single error stays as it is; `nil` if
    /// there are none.
    package static func joining(_ errors: [CaptureError]) -> CaptureError? {
        guard let first = errors.first, errors.count > 1 else { return errors.first }
        return CaptureError(first.code, errors.map(\.description).joined(separator: "\n"))
    }

    /// Creates an error that states why a value cannot be read.
    package init(_ code: Code, _ invalid: InvalidValue, subject: String) {
        self.init(code, invalid.message, subject: subject, advice: invalid.advice)
    }
}

extension InvalidValue {
    /// Returns an error for each mistake in a value.
    package func errors(_ code: CaptureError.Code, subject: String) -> [CaptureError] {
        all.map { CaptureError(code, $0, subject: subject) }
    }

    /// Returns an error for each mistake in a file, in the file's order, with `file:line:column` as its subject.
    package static func errors(_ problems: [InvalidValue], in file: String) -> [CaptureError] {
        problems.sorted { ($0.place ?? .start) < ($1.place ?? .start) }.map { problem in
            CaptureError(.configuration, problem, subject: TextPlace.subject(file, problem.place))
        }
    }
}

extension TextPlace {
    /// Returns `file:line:column`, as compilers name a place; the file alone if the place is unknown.
    package static func subject(_ file: String, _ place: TextPlace?) -> String {
        file + (place.map { ":\($0.line):\($0.column)" } ?? "")
    }
}
