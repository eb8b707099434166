// Part of gst-capture. Apache License 2.0, see LICENSE.

import CLinux
import CaptureBase
import Glibc

extension V4L2Node {
    /// Limits above those of any driver, so that an endless list ends.
    private enum Limit {
        static let formats: UInt32 = 256
        static let sizes: UInt32 = 256
        static let rates: UInt32 = 128
    }

    /// Returns all formats with sizes and rates (`VIDIOC_ENUM_FMT` and its companions), in the driver's order.
    ///
    /// Does not disturb a running stream. An error ends a list, but keeps the entries read before.
    ///
    /// - Parameter planar: `true` for the multi-planar API (`V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE`).
    func formats(planar: Bool) -> [CameraFormat] {
        let type = planar ? V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE : V4L2_BUF_TYPE_VIDEO_CAPTURE
        var formats: [CameraFormat] = []
        for index in 0..<Limit.formats {
            var entry = v4l2_fmtdesc()
            entry.index = index
            entry.type = type.rawValue
            guard call(cv4l2_enum_fmt, &entry) == 0 else { break }
            let fourcc = FourCC(rawValue: entry.pixelformat)
            guard !formats.contains(where: { $0.fourcc == fourcc }) else { continue }
            formats.append(
                CameraFormat(
                    fourcc: fourcc, title: FixedText.read(entry.description), sizes: sizes(of: fourcc, type),
                    isEmulated: entry.flags & UInt32(V4L2_FMT_FLAG_EMULATED) != 0))
        }
        return formats
    }

    private func sizes(of fourcc: FourCC, _ type: v4l2_buf_type) -> [FrameSize] {
        var sizes: [FrameSize] = []
        for index in 0..<Limit.sizes {
            var entry = v4l2_frmsizeenum()
            entry.index = index
            entry.pixel_format = fourcc.rawValue
            guard call(cv4l2_enum_framesizes, &entry) == 0 else { break }
            guard let size = FrameSize(entry) else { continue }
            let rates = rates(of: fourcc, width: size.width, height: size.height)
            sizes.append(FrameSize(size.widths, size.heights, rates: rates))
            if entry.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue { break }
        }
        return sizes.isEmpty ? triedSizes(of: fourcc, type) : sizes
    }

    private func rates(of fourcc: FourCC, width: Int, height: Int) -> FrameRates {
        var rates: [FrameRate] = []
        for index in 0..<Limit.rates {
            var entry = v4l2_frmivalenum()
            entry.index = index
            entry.pixel_format = fourcc.rawValue
            entry.width = UInt32(truncatingIfNeeded: width)
            entry.height = UInt32(truncatingIfNeeded: height)
            guard call(cv4l2_enum_frameintervals, &entry) == 0 else { break }
            if entry.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue { return FrameRates(entry.stepwise) }
            if let rate = FrameRate(interval: entry.discrete), !rates.contains(rate) { rates.append(rate) }
        }
        return .discrete(rates.sorted(by: >))
    }

    /// Returns the range between the sizes that the driver substitutes for the smallest and the largest request
    /// (`VIDIOC_TRY_FMT`), because old drivers list no sizes.
    private func triedSizes(of fourcc: FourCC, _ type: v4l2_buf_type) -> [FrameSize] {
        guard let small = tryFormat(fourcc, type, side: 1), let large = tryFormat(fourcc, type, side: 32768) else {
            return []
        }
        let widths = SteppedRange(small.width, through: large.width)
        let heights = SteppedRange(small.height, through: large.height)
        return [FrameSize(widths, heights, rates: rates(of: fourcc, width: large.width, height: large.height))]
    }

    /// Returns the size that the driver substitutes for a square (`VIDIOC_TRY_FMT`); `nil` if it refuses the format, or
    /// substitutes another one.
    private func tryFormat(_ fourcc: FourCC, _ type: v4l2_buf_type, side: UInt32) -> (width: Int, height: Int)? {
        var format = v4l2_format()
        format.type = type.rawValue
        let isPlanar = type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE
        if isPlanar {
            (format.fmt.pix_mp.width, format.fmt.pix_mp.height) = (side, side)
            format.fmt.pix_mp.pixelformat = fourcc.rawValue
        } else {
            (format.fmt.pix.width, format.fmt.pix.height) = (side, side)
            format.fmt.pix.pixelformat = fourcc.rawValue
        }
        guard call(cv4l2_try_fmt, &format) == 0 else { return nil }
        let answer =
            isPlanar
            ? (format.fmt.pix_mp.pixelformat, format.fmt.pix_mp.width, format.fmt.pix_mp.height)
            : (format.fmt.pix.pixelformat, format.fmt.pix.width, format.fmt.pix.height)
        guard answer.0 == fourcc.rawValue, answer.1 > 0, answer.2 > 0 else { return nil }
        return (Int(answer.1), Int(answer.2))
    }
}

extension FrameSize {
    /// Reads a size from the driver; `nil` if the width or height is 0.
    init?(_ entry: v4l2_frmsizeenum) {
        if entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
            self.init(Int(entry.discrete.width), Int(entry.discrete.height))
        } else {
            // A driver with a continuous range need not fill in the steps: they are 1.
            let range = entry.stepwise
            let isStepwise = entry.type == V4L2_FRMSIZE_TYPE_STEPWISE.rawValue
            let (stepX, stepY) = isStepwise ? (Int(range.step_width), Int(range.step_height)) : (1, 1)
            self.init(
                SteppedRange(Int(range.min_width), through: Int(range.max_width), step: stepX),
                SteppedRange(Int(range.min_height), through: Int(range.max_height), step: stepY))
        }
        guard width > 0, height > 0 else { return nil }
    }
}

extension FrameRate {
    /// Creates the rate of a frame interval in seconds, which is its inverse; `nil` if the interval is invalid.
    init?(interval: v4l2_fract) {
        self.init(Int(interval.denominator), Int(interval.numerator))
    }
}

extension FrameRates {
    /// Reads a range of frame intervals: the longest interval is the slowest rate.
    init(_ intervals: v4l2_frmival_stepwise) {
        guard let fast = FrameRate(interval: intervals.min), let slow = FrameRate(interval: intervals.max) else {
            self = .unknown
            return
        }
        self = .range(min(slow, fast)...max(slow, fast))
    }
}
