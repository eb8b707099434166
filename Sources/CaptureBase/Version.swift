// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The version of the product.
public enum Version {
    /// The version that `gst-capture --version` prints.
    public static let current = "0.1.0"
}
