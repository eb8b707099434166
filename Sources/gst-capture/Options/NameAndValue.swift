// Part of gst-capture. Apache License 2.0, see LICENSE.

extension String {
    /// The parts before and after the first `=`; `nil` without one.
    var nameAndValue: (name: String, value: String)? {
        firstIndex(of: "=").map { (String(self[..<$0]), String(self[index(after: $0)...])) }
    }
}
