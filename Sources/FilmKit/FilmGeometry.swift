// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

/// The part of a picture that a film shows, and its place on the film.
package struct FilmGeometry: Sendable, Hashable {
    /// In pixels of the upright picture.
    package let source: CropRectangle
    /// In pixels of the film. The rest of the film is black.
    package let place: CropRectangle

    /// Computes the geometry of a picture.
    ///
    /// - Parameters:
    ///   - picture: The size of the upright picture.
    ///   - usual: The size of most pictures, which `crop` means. For other sizes the crop is scaled.
    ///   - fills: `true` to cut the picture to the shape of the film; otherwise the film has bars.
    package init(of picture: FrameSize, usual: FrameSize, film: FrameSize, crop: CropRectangle?, fills: Bool) {
        var part = Self.part(of: picture, usual, crop)
        // A row or a column that is lost to even numbers is not worth scaling.
        let isNearly =
            (0...1).contains(part.width - film.width) && (0...1).contains(part.height - film.height)
        let (wide, high) = (part.width * film.height, part.height * film.width)
        if isNearly {
            part = CropRectangle(x: part.x, y: part.y, width: film.width, height: film.height)
        } else if fills, wide != high {
            part = Self.trimmed(part, film)
        }
        let whole = CropRectangle(x: 0, y: 0, width: film.width, height: film.height)
        source = part
        place = isNearly || fills || wide == high ? whole : Self.fitted(part, film)
    }

    /// Creates the geometry of a whole picture in the top left part of a frame.
    ///
    /// - Parameter size: The size of this part.
    init(whole picture: FrameSize, at size: FrameSize) {
        self.init(
            source: CropRectangle(x: 0, y: 0, width: picture.width, height: picture.height),
            place: CropRectangle(x: 0, y: 0, width: size.width, height: size.height))
    }

    /// `true` if the picture becomes the film's frame pixel by pixel.
    package func isIdentity(of picture: FrameSize, film: FrameSize) -> Bool {
        picture == film && source == place
            && source == CropRectangle(x: 0, y: 0, width: film.width, height: film.height)
    }

    /// `true` if a part of the film has no picture.
    func hasBars(on film: FrameSize) -> Bool { place.width < film.width || place.height < film.height }

    /// Returns the geometry for a picture that was decoded at a fraction of its size.
    func scaled(from picture: FrameSize, to decoded: FrameSize) -> FilmGeometry {
        guard picture != decoded else { return self }
        let across = Double(decoded.width) / Double(picture.width)
        let down = Double(decoded.height) / Double(picture.height)
        let x = min(decoded.width - 1, Int(Double(source.x) * across))
        let y = min(decoded.height - 1, Int(Double(source.y) * down))
        return FilmGeometry(
            source: CropRectangle(
                x: x, y: y, width: min(decoded.width - x, max(1, Int((Double(source.width) * across).rounded()))),
                height: min(decoded.height - y, max(1, Int((Double(source.height) * down).rounded())))),
            place: place)
    }

    private init(source: CropRectangle, place: CropRectangle) { (self.source, self.place) = (source, place) }

    /// Returns the part of a picture that a crop keeps: all if the crop lies outside.
    private static func part(of picture: FrameSize, _ usual: FrameSize, _ crop: CropRectangle?) -> CropRectangle {
        let whole = CropRectangle(x: 0, y: 0, width: picture.width, height: picture.height)
        guard let crop, usual.area > 0 else { return whole }
        let across = Double(picture.width) / Double(usual.width)
        let down = Double(picture.height) / Double(usual.height)
        let (x, y) = (Int((Double(crop.x) * across).rounded()), Int((Double(crop.y) * down).rounded()))
        let right = Int((Double(crop.x + crop.width) * across).rounded())
        let bottom = Int((Double(crop.y + crop.height) * down).rounded())
        let (left, top) = (max(0, x), max(0, y))
        let (width, height) = (min(picture.width, right) - left, min(picture.height, bottom) - top)
        guard width > 0, height > 0 else { return whole }
        return CropRectangle(x: left, y: top, width: width, height: height)
    }

    /// Returns the largest part in the middle that has the shape of the film.
    private static func trimmed(_ part: CropRectangle, _ film: FrameSize) -> CropRectangle {
        let isWide = part.width * film.height > part.height * film.width
        let width = isWide ? max(1, part.height * film.width / film.height) : part.width
        let height = isWide ? part.height : max(1, part.width * film.height / film.width)
        return CropRectangle(
            x: part.x + (part.width - width) / 2, y: part.y + (part.height - height) / 2, width: width, height: height)
    }

    /// Returns the largest place in the middle of the film that has the shape of a part. Its edges are even: two rows of
    /// luma share one of chroma.
    private static func fitted(_ part: CropRectangle, _ film: FrameSize) -> CropRectangle {
        let isWide = part.width * film.height > part.height * film.width
        let width = isWide ? film.width : max(2, part.width * film.height / part.height / 2 * 2)
        let height = isWide ? max(2, part.height * film.width / part.width / 2 * 2) : film.height
        return CropRectangle(
            x: (film.width - width) / 4 * 2, y: (film.height - height) / 4 * 2, width: width, height: height)
    }
}
