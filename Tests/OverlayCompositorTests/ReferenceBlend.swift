// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer

@testable import OverlayCompositor

/// Blending written in the simplest way: every component of every pixel, one layer after the other, in floating point.
///
/// The positions of components come from GStreamer's own tables, not from the code under test.
struct ReferenceBlend {
    let format: String
    let width: Int
    let height: Int
    /// The shares of red and blue in luma.
    let shares: (red: Double, blue: Double)
    let isFullRange: Bool

    /// A component of a group of pixels: the position of its byte, and the pixels that it stands for.
    struct Site {
        let component: Int
        let plane: Int
        let row: Int
        let byte: Int
        let pixels: [(x: Int, y: Int)]
    }

    private var info: GstVideoFormatInfo { gst_video_format_get_info(gst_video_format_from_string(format)).pointee }

    var isRGB: Bool { info.flags.rawValue & GST_VIDEO_FORMAT_FLAG_RGB.rawValue != 0 }

    /// All bytes that hold a component.
    var sites: [Site] {
        (0..<Int(info.n_components)).flatMap(sites)
    }

    private func sites(of component: Int) -> [Site] {
        let info = info
        let columns = 1 << Int(element(info.w_sub, component))
        let rows = 1 << Int(element(info.h_sub, component))
        return stride(from: 0, to: height, by: rows).flatMap { top in
            stride(from: 0, to: width, by: columns).map { left in
                let pixels = (top..<min(height, top + rows)).flatMap { y in
                    (left..<min(width, left + columns)).map { (x: $0, y: y) }
                }
                return Site(
                    component: component, plane: Int(element(info.plane, component)), row: top / rows,
                    byte: Int(element(info.poffset, component)) + left / columns
                        * Int(element(info.pixel_stride, component)),
                    pixels: pixels)
            }
        }
    }

    private func element<Tuple>(_ tuple: Tuple, _ index: Int) -> UInt32 {
        withUnsafeBytes(of: tuple) { bytes in
            bytes.count == 4 ? UInt32(bytes[index]) : bytes.load(fromByteOffset: index * 4, as: UInt32.self)
        }
    }

    /// The result for a byte.
    func blend(_ byte: UInt8, at site: Site, _ layers: [RasterImage]) -> Double {
        layers.reduce(Double(byte)) { value, image in
            let covers = site.pixels.map { image.pixel($0.x, $0.y) }
            let alpha = covers.reduce(0) { $0 + $1.alpha } / Double(covers.count)
            let color = covers.reduce(0) { $0 + code($1, site.component) } / Double(covers.count)
            return value * (1 - alpha) + min(max(color, 0), alpha * 255)
        }
    }

    /// A premultiplied pixel's component in code values.
    private func code(_ pixel: (red: Double, green: Double, blue: Double, alpha: Double), _ component: Int) -> Double {
        if component == 3 { return pixel.alpha * 255 }
        if isRGB {
            return [pixel.red, pixel.green, pixel.blue][component] * 255
        }
        let luma = shares.red * pixel.red + (1 - shares.red - shares.blue) * pixel.green + shares.blue * pixel.blue
        let (foot, span, chroma) = isFullRange ? (0.0, 255.0, 255.0) : (16.0, 219.0, 224.0)
        switch component {
        case 0: return foot * pixel.alpha + span * luma
        case 1: return 128 * pixel.alpha + chroma * (pixel.blue - luma) / (2 * (1 - shares.blue))
        default: return 128 * pixel.alpha + chroma * (pixel.red - luma) / (2 * (1 - shares.red))
        }
    }
}

extension RasterImage {
    /// The pixel, premultiplied, 0...1; clear outside.
    fileprivate func pixel(_ x: Int, _ y: Int) -> (red: Double, green: Double, blue: Double, alpha: Double) {
        guard x >= self.x, y >= self.y, x < self.x + width, y < self.y + height else { return (0, 0, 0, 0) }
        let value = pixels[(y - self.y) * width + x - self.x]
        func part(_ shift: UInt32) -> Double { Double(value >> shift & 0xFF) / 255 }
        return (part(16), part(8), part(0), part(24))
    }
}
