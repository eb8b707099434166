// Part of gst-capture. Apache License 2.0, see LICENSE.

/// How a C function transfers a reference. Every handle is created with one of these cases, so that no reference is
/// counted twice or not at all.
public enum Ownership: Sendable {
    /// "transfer full": the function gives the reference away, and the handle adopts it.
    case full
    /// "transfer none": the function lends the reference, and the handle adds its own.
    case none
    /// "transfer floating": the reference has no owner yet; the handle sinks it (`g_object_ref_sink`), and then owns
    /// it.
    case floating
}
