// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCups
import CaptureBase
import Glibc

/// A queue of CUPS. All calls talk to the scheduler, and block; a scheduler that hangs ends them after ``patience``.
package struct Printer: Sendable {
    /// The state of a printer, as IPP names it (RFC 8011, section 5.4).
    package struct State: Sendable, Hashable {
        /// `idle`, `processing` or `stopped`.
        package var word: String
        /// The keywords of `printer-state-reasons` without their severity, such as `media-empty`.
        package var reasons: [String]
        /// `false` if the printer takes no more jobs.
        package var isAccepting: Bool
        /// The message of the printer; empty if it has none.
        package var message: String
    }

    /// The name of the queue.
    package let name: String
    /// The name of the scheduler's machine, or the path of its socket; `nil` for the one that CUPS is configured for.
    package var server: String?
    /// The longest time without an answer, in seconds.
    package var patience: Double

    package init(name: String, server: String? = nil, patience: Double = 10) {
        (self.name, self.server, self.patience) = (name, server, patience)
    }

    /// Returns the state of the printer (Get-Printer-Attributes).
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such queue, `.temporary` if the scheduler does not answer.
    package func state() throws(CaptureError) -> State {
        let connection = try connect()
        defer { httpClose(connection) }
        let request = ippNewRequest(IPP_OP_GET_PRINTER_ATTRIBUTES)
        var address = [CChar](repeating: 0, count: Int(HTTP_MAX_URI))
        httpAssembleURI(
            HTTP_URI_CODING_ALL, &address, Int32(address.count), "ipp", nil, "localhost", 0, "/printers/\(name)")
        ippAddString(request, IPP_TAG_OPERATION, IPP_TAG_URI, "printer-uri", nil, address)
        // This frees the request.
        let response = cupsDoRequest(connection, request, "/")
        defer { ippDelete(response) }
        let status = cupsLastError()
        if status == IPP_STATUS_ERROR_NOT_FOUND, response != nil {
            throw CaptureError(
                .noInput, "there is no such printer", subject: "printer \(name.quoted)",
                advice: "lpstat -e lists the printers")
        }
        guard status.rawValue <= IPP_STATUS_OK_EVENTS_COMPLETE.rawValue else { throw failure(.temporary) }
        func attribute(_ key: String) -> OpaquePointer? { ippFindAttribute(response, key, IPP_TAG_ZERO) }
        func texts(_ key: String) -> [String] {
            guard let attribute = attribute(key) else { return [] }
            return (0..<ippGetCount(attribute)).compactMap { index in
                ippGetString(attribute, index, nil).map { String(cString: $0) }
            }
        }
        return State(
            word: Self.word(attribute("printer-state").map { ippGetInteger($0, 0) }),
            reasons: Self.reasons(texts("printer-state-reasons")),
            isAccepting: attribute("printer-is-accepting-jobs").map { ippGetBoolean($0, 0) != 0 } ?? true,
            message: FixedText.clean(Array((texts("printer-state-message").first ?? "").utf8)))
    }

    /// Adds a job to the queue. It prints each page of the files as large as the paper.
    ///
    /// - Returns: The number of the job.
    /// - Throws: `CaptureError` `.temporary` with the reason of the scheduler.
    package func print(_ files: [String], title: String, copies: Int) throws(CaptureError) -> Int {
        let connection = try connect()
        defer { httpClose(connection) }
        var options: UnsafeMutablePointer<cups_option_t>?
        var count = cupsAddOption("copies", String(copies), 0, &options)
        count = cupsAddOption("fit-to-page", "true", count, &options)
        defer { cupsFreeOptions(count, options) }
        var names = files.map { UnsafePointer(strdup($0)) }
        defer { for name in names { free(UnsafeMutablePointer(mutating: name)) } }
        let job = cupsPrintFiles2(connection, name, Int32(names.count), &names, title, count, options)
        guard job > 0 else { throw failure(.temporary) }
        return Int(job)
    }

    /// Connects to the scheduler (`httpConnect2`).
    private func connect() throws(CaptureError) -> OpaquePointer {
        let connection = httpConnect2(
            server ?? String(cString: cupsServer()), ippPort(), nil, AF_UNSPEC, cupsEncryption(), 1,
            Int32(patience * 1000), nil)
        guard let connection else {
            throw CaptureError(
                .temporary, "the scheduler of CUPS does not answer: \(CaptureError.systemMessage(errno))",
                subject: "printer \(name.quoted)", advice: "start cups, or check its socket")
        }
        // Without a callback that wants to go on, a call fails when the time is over.
        httpSetTimeout(connection, patience, { _, _ in 0 }, nil)
        return connection
    }

    private func failure(_ code: CaptureError.Code) -> CaptureError {
        let reason = cupsLastErrorString().map { FixedText.clean(Array(String(cString: $0).utf8)) } ?? "no connection"
        let isAlone = [IPP_STATUS_ERROR_SERVICE_UNAVAILABLE, IPP_STATUS_ERROR_INTERNAL].contains(cupsLastError())
        return CaptureError(
            code, isAlone ? "the scheduler of CUPS does not answer: \(reason)" : reason,
            subject: "printer \(name.quoted)",
            advice: "lpstat -p \(name) shows its state")
    }

    /// Returns the word for the state of a printer. The scheduler can send any number.
    static func word(_ state: Int32?) -> String {
        switch state.flatMap(UInt32.init(exactly:)).map(ipp_pstate_t.init(rawValue:)) {
        case IPP_PSTATE_PROCESSING: "processing"
        case IPP_PSTATE_STOPPED: "stopped"
        default: "idle"
        }
    }

    /// Returns the keywords of faults, without their severity.
    static func reasons(_ keywords: [String]) -> [String] {
        let severities = ["-error", "-warning", "-report"]
        return keywords.map { keyword in
            severities.first { keyword.hasSuffix($0) }.map { String(keyword.dropLast($0.utf8.count)) } ?? keyword
        }.filter { $0 != "none" && $0 != "cups-waiting-for-job-completed" }
    }
}
#endif
