// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The content of a sidecar, the file `NAME.jpg.xmp` beside a picture: an XMP packet as RDF/XML (ISO 16684-1).
///
/// A sidecar belongs to the user and to many programs. This type therefore changes bytes of the properties in
/// ``SidecarValues`` only, and keeps all others: foreign properties, comments, processing instructions and whitespace.
/// It refuses files that are damaged or have a form that it does not know. It reads and returns bytes, never files.
package struct XMPSidecar: Sendable {
    /// The maximum size of a sidecar, in bytes: 1 MiB.
    package static let mostBytes = 1 << 20

    /// The tags, the rating and the title.
    package let values: SidecarValues
    private let bytes: [UInt8]
    private let path: String
    private let outline: XMPOutline

    /// Reads the content of a sidecar.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file, at most ``mostBytes``, in UTF-8.
    ///   - path: The path of the file, for errors.
    /// - Throws: ``CaptureError`` `.inputOutput` for a damaged file, and `.configuration` for a file that is valid but
    ///   cannot be edited, such as one in UTF-16. Neither must be overwritten.
    package init(_ bytes: [UInt8], path: String) throws(CaptureError) {
        do throws(XMLFault) {
            guard bytes.count <= Self.mostBytes else {
                throw .unsupported("is larger than 1 MiB", advice: "shorten it with the program that wrote it")
            }
            outline = try XMPOutline(bytes)
            values = try outline.values()
        } catch {
            throw CaptureError(error, path, bytes)
        }
        (self.bytes, self.path) = (bytes, path)
    }

    /// Returns the path of a picture's sidecar: `NAME.jpg.xmp` for `NAME.jpg`, as darktable and digiKam name it.
    package static func path(of picture: String) -> String { StillName.sidecarPath(of: picture) }

    /// Returns a new sidecar with these values. Equal values make equal bytes.
    ///
    /// - Parameter path: The path of the sidecar, for errors.
    /// - Throws: ``CaptureError`` `.usage` if the values exceed a limit of ``SidecarValues``.
    package static func new(_ values: SidecarValues, path: String) throws(CaptureError) -> [UInt8] {
        try XMPSidecar(Array(empty.utf8), path: path).replacing(values)
    }

    /// Returns the bytes of the sidecar with other values.
    ///
    /// Only properties whose value differs are changed; equal values return the same bytes. The new bytes have
    /// ``SidecarValues/cleaned`` as their values. A new title replaces the one of the default language, and `nil`
    /// removes the title in all languages.
    ///
    /// - Throws: ``CaptureError`` `.usage` if the values exceed a limit of ``SidecarValues``, or the sidecar would be
    ///   larger than ``mostBytes``.
    package func replacing(_ values: SidecarValues) throws(CaptureError) -> [UInt8] {
        let wanted = values.cleaned
        if let excess = wanted.excess {
            throw CaptureError(
                .usage, excess, subject: RegularFile.display(path), advice: "give values within the limits")
        }
        // Each edit is small and is parsed again. Offsets of one edit are thus never used after another one.
        var sidecar = self
        if wanted.rating != sidecar.values.rating { sidecar = try sidecar.edited(.rating, wanted) }
        if wanted.title != sidecar.values.title { sidecar = try sidecar.edited(.title, wanted) }
        if wanted.tags != sidecar.values.tags { sidecar = try sidecar.edited(.subject, wanted) }
        guard sidecar.values == wanted else { throw unreadable("it would have other values") }
        return sidecar.bytes
    }

    private func edited(_ property: XMPProperty, _ wanted: SidecarValues) throws(CaptureError) -> XMPSidecar {
        let editor = XMPEditor(bytes, outline)
        if outline.descriptions.isEmpty { return try read(editor.addingDescription()).edited(property, wanted) }
        return try read(editor.setting(property, wanted))
    }

    /// Reads edited bytes. The caller never receives bytes that this type cannot read again.
    private func read(_ edited: [UInt8]) throws(CaptureError) -> XMPSidecar {
        guard edited.count <= Self.mostBytes else {
            throw CaptureError(
                .usage, "would be larger than 1 MiB", subject: RegularFile.display(path),
                advice: "give shorter or fewer tags")
        }
        do throws(CaptureError) {
            return try XMPSidecar(edited, path: path)
        } catch {
            throw unreadable(error.message)
        }
    }

    private func unreadable(_ reason: String) -> CaptureError {
        CaptureError(
            .software, "cannot be edited: \(reason)", subject: RegularFile.display(path),
            advice: "edit it with another program, and report this file")
    }

    /// A sidecar without values. The processing instructions mark an XMP packet (ISO 16684-1, packet wrapper).
    private static let empty = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="\(XMPNamespace.meta.rawValue)">
         <rdf:RDF xmlns:rdf="\(XMPNamespace.rdf.rawValue)">
          <rdf:Description rdf:about=""
            xmlns:xmp="\(XMPNamespace.xmp.rawValue)"
            xmlns:dc="\(XMPNamespace.dc.rawValue)"/>
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """
}

extension CaptureError {
    /// Creates the error of a sidecar that cannot be used, with the line of the fault if it has one.
    fileprivate init(_ fault: XMLFault, _ path: String, _ bytes: [UInt8]) {
        let newlines = fault.offset.map { bytes.prefix($0).count { $0 == UInt8(ascii: "\n") } }
        let place = newlines.map { "line \($0 + 1): " } ?? ""
        self.init(
            fault.kind == .damaged ? .inputOutput : .configuration, place + fault.message,
            subject: RegularFile.display(path), advice: fault.advice)
    }
}
