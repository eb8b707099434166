// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The version of the product.
public enum Version {
    /// As `gst-capture --version` says it.
    public static let current = "0.1.0"
}
