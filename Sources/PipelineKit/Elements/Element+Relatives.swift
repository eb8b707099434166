// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

extension Element {
    /// The pads that the element has now, in no particular order (`gst_element_iterate_pads`).
    public final var pads: [Pad] { collect(gst_element_iterate_pads(cast())) { Pad($0, .none) } }

    /// The elements directly inside a bin, in no particular order (`gst_bin_iterate_elements`); empty for an element that
    /// is not a bin.
    public final var children: [Element] {
        isBin ? collect(gst_bin_iterate_elements(cast())) { Element($0, .none) } : []
    }

    /// The elements inside a bin and inside its bins, in no particular order (`gst_bin_iterate_recurse`); empty for an
    /// element that is not a bin.
    public final var descendants: [Element] {
        isBin ? collect(gst_bin_iterate_recurse(cast())) { Element($0, .none) } : []
    }

    /// The bin or pipeline that contains the element; `nil` if there is none (`gst_object_get_parent`).
    public final var parent: Element? {
        guard let parent = gst_object_get_parent(cast()) else { return nil }
        guard cgst_type_is(cgst_object_type(parent), gst_element_get_type()) != 0 else {
            gst_object_unref(parent)
            return nil
        }
        return Element(parent, .full)
    }

    private var isBin: Bool { cgst_type_is(cgst_object_type(pointer), gst_bin_get_type()) != 0 }
}

/// Collects the objects of an iterator, and frees it (`gst_iterator_next`). If the list changes meanwhile, it begins
/// again.
private func collect<Item>(
    _ iterator: UnsafeMutablePointer<GstIterator>?, _ wrap: (UnsafeMutableRawPointer) -> Item
) -> [Item] {
    guard let iterator else { return [] }
    var (items, value): ([Item], GValue) = ([], GValue())
    defer {
        g_value_unset(&value)
        gst_iterator_free(iterator)
    }
    while true {
        switch gst_iterator_next(iterator, &value) {
        case GST_ITERATOR_OK:
            if let object = g_value_get_object(&value) { items.append(wrap(object)) }
            g_value_reset(&value)
        case GST_ITERATOR_RESYNC:
            items = []
            gst_iterator_resync(iterator)
        default: return items
        }
    }
}
