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

extension InvalidValue {
    /// What is wrong with a value, an error for each mistake.
    func errors(_ code: CaptureError.Code, subject: String) -> [CaptureError] {
        all.map { CaptureError(code, $0, subject: subject) }
    }

    /// What is wrong with a file, in its order, each with `file:line:column` as its subject.
    static func errors(_ problems: [InvalidValue], in file: String) -> [CaptureError] {
        problems.sorted { ($0.place ?? .start) < ($1.place ?? .start) }.map { problem in
            CaptureError(.configuration, problem, subject: TextPlace.subject(file, problem.place))
        }
    }
}

extension TextPlace {
    /// `file:line:column`, as compilers name a place; the file alone where none is known.
    static func subject(_ file: String, _ place: TextPlace?) -> String {
        file + (place.map { ":\($0.line):\($0.column)" } ?? "")
    }
}
