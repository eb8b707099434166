// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The version of the product.
enum Version {
    /// As `--version` says it.
    static let current = "0.1.0"
}
