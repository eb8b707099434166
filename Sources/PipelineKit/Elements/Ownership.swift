// Part of gst-capture. Apache License 2.0, see LICENSE.

/// What a C function says about the reference it hands over; every handle is made with one of these, so that none is
/// ever counted twice or not at all.
public enum Ownership: Sendable {
    /// "transfer full": the reference is ours, and is taken over.
    case full
    /// "transfer none": the reference is lent, and one of our own is added.
    case none
    /// "transfer floating": nobody's yet; it is sunk (`g_object_ref_sink`), which makes it ours.
    case floating
}
