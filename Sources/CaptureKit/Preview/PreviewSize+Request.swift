// Part of gst-capture. Apache License 2.0, see LICENSE.

import CropKit
import PipelineKit
import StillKit

extension PreviewSize {
    /// The requested size, or the size of turned frames of this format in square pixels, scaled down to fit ``limit``,
    /// never up.
    init(of info: VideoInfo, _ request: PreviewRequest, _ orientation: Orientation = .upright) {
        let aspect = orientation.swapsAxes ? 1 / Self.aspect(info) : Self.aspect(info)
        switch (request.width, request.height) {
        case (let width?, let height?): self.init(width: width, height: height)
        case (let width?, nil): self.init(width: width, height: Self.even(Double(width) / aspect))
        case (nil, let height?): self.init(width: Self.even(Double(height) * aspect), height: height)
        case (nil, nil): self.init(fitting: info, orientation)
        }
    }

    /// The size before the first frame: the requested one, or ``limit``, upright if the camera is turned.
    init(of request: PreviewRequest, _ orientation: Orientation = .upright) {
        let (width, height) = (Double(Self.limit.width), Double(Self.limit.height))
        let aspect = orientation.swapsAxes ? height / width : width / height
        switch (request.width, request.height) {
        case (let wanted?, nil): self.init(width: wanted, height: Self.even(Double(wanted) / aspect))
        case (nil, let wanted?): self.init(width: Self.even(Double(wanted) * aspect), height: wanted)
        case (let wantedWidth?, let wantedHeight?): self.init(width: wantedWidth, height: wantedHeight)
        case (nil, nil) where orientation.swapsAxes:
            self.init(width: Self.even(height * aspect), height: Self.limit.height)
        case (nil, nil): self = Self.limit
        }
    }
}

extension StillGeometry {
    /// Creates the geometry of a still and its preview.
    ///
    /// - Parameters:
    ///   - info: The format of the frames, as they come from the camera or its decoder.
    ///   - request: The requested preview.
    ///   - orientation: The orientation of the still; the preview is turned the same way.
    public init(of info: VideoInfo, _ request: PreviewRequest, _ orientation: Orientation) {
        self.init(
            frame: FrameShape(info), preview: PreviewSize(of: info, request, orientation),
            hasBorders: request.width != nil && request.height != nil, isMirrored: request.isMirrored,
            orientation: orientation)
    }
}
