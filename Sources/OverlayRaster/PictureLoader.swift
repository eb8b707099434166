// Part of gst-capture. Apache License 2.0, see LICENSE.

import CRaster
import OverlayCompositor

/// Decodes one file, unless its header gives a size that is too large (`GdkPixbufLoader`).
struct PictureLoader: ~Copyable {
    private let loader: UnsafeMutablePointer<GdkPixbufLoader>

    init() { loader = gdk_pixbuf_loader_new() }

    deinit { g_object_unref(loader) }

    /// Returns the decoded picture, turned upright; the caller releases it.
    consuming func load(_ bytes: [UInt8]) throws(OverlayError) -> OpaquePointer {
        let header = UnsafeMutablePointer<PictureHeader>.allocate(capacity: 1)
        header.initialize(to: PictureHeader())
        defer { header.deallocate() }
        connect(header)
        var failure: UnsafeMutablePointer<GError>?
        let isWritten = write(bytes, header, &failure)
        // A loader must be closed before it is released. The error of closing matters only if writing succeeded.
        let isClosed = isWritten ? gdk_pixbuf_loader_close(loader, &failure) : gdk_pixbuf_loader_close(loader, nil)
        if header.pointee.isTooLarge {
            if let failure { g_error_free(failure) }
            throw header.pointee.tooLarge
        }
        guard isWritten, isClosed != 0, let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader) else {
            throw OverlayError(.damaged, "is not a readable picture", consuming: failure)
        }
        guard let upright = gdk_pixbuf_apply_embedded_orientation(pixbuf) else {
            throw OverlayError(.tooMuch, "no memory to turn the picture upright")
        }
        return upright
    }

    // Writes in pieces, so that the header is checked before the rest is decoded.
    private func write(
        _ bytes: [UInt8], _ header: UnsafeMutablePointer<PictureHeader>,
        _ failure: inout UnsafeMutablePointer<GError>?
    ) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            for start in stride(from: 0, to: bytes.count, by: Self.piece) {
                let count = min(Self.piece, bytes.count - start)
                guard
                    gdk_pixbuf_loader_write(loader, bytes.baseAddress.map { $0 + start }, gsize(count), &failure) != 0,
                    !header.pointee.isTooLarge
                else { return false }
            }
            return true
        }
    }

    private func connect(_ header: UnsafeMutablePointer<PictureHeader>) {
        let judge: @convention(c) (OpaquePointer, Int32, Int32, gpointer) -> Void = { loader, width, height, data in
            let header = data.assumingMemoryBound(to: PictureHeader.self)
            header.pointee = PictureHeader(width: Int(width), height: Int(height))
            // A size of 0 tells the loader to decode no pixels.
            if header.pointee.isTooLarge {
                gdk_pixbuf_loader_set_size(UnsafeMutablePointer(loader), 0, 0)
            }
        }
        g_signal_connect_data(
            loader, "size-prepared", unsafeBitCast(judge, to: GCallback.self), header, nil, GConnectFlags(0))
    }

    private static let piece = 64 << 10
}

/// The size in a file's header, known before the picture is decoded.
private struct PictureHeader {
    var width = 0
    var height = 0

    var isTooLarge: Bool { width > 0 && height > RasterLimits.picturePixels / width }

    var tooLarge: OverlayError {
        OverlayError(
            .tooMuch, "the picture has \(width) x \(height) pixels; at most \(RasterLimits.picturePixels) are drawn",
            advice: "scale it down")
    }
}
