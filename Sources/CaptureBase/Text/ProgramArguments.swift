// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Checks the text that a program gets from its caller.
///
/// Swift replaces bytes that are not UTF-8: a picture would get another name than the requested one.
package enum ProgramArguments {
    /// Checks the arguments of this process, and its variables with a prefix. Blocks.
    ///
    /// - Throws: `CaptureError` `.usage` that names the first argument or variable that is not UTF-8.
    package static func check(variables prefix: String) throws(CaptureError) {
        try check(
            DeviceFiles.content("/proc/self/cmdline") ?? [], DeviceFiles.content("/proc/self/environ") ?? [], prefix)
    }

    /// Checks texts that each end with a NUL.
    static func check(
        _ arguments: [UInt8], _ variables: [UInt8], _ prefix: String
    ) throws(CaptureError) {
        if let text = whole(arguments).first(where: { !isValid($0) }) { throw isNotText(text) }
        let variables = whole(variables).filter { $0.starts(with: prefix.utf8) }
        if let text = variables.first(where: { !isValid($0) }) { throw isNotText(text) }
    }

    /// Splits texts, without one at the end that was cut off.
    private static func whole(_ texts: [UInt8]) -> [ArraySlice<UInt8>] {
        Array(texts.split(separator: 0, omittingEmptySubsequences: false).dropLast())
    }

    private static func isValid(_ text: ArraySlice<UInt8>) -> Bool { String(validating: text, as: UTF8.self) != nil }

    private static func isNotText(_ text: ArraySlice<UInt8>) -> CaptureError {
        CaptureError(
            .usage, "is not UTF-8", subject: FixedText.clean(text),
            advice: "give names in UTF-8; convmv renames files and folders")
    }
}
