// Part of gst-capture. Apache License 2.0, see LICENSE.

import PipelineKit

extension CameraFormat {
    /// Returns the formats that the alternatives of caps describe. Alternatives of the same media type become one
    /// format with all their sizes.
    ///
    /// A size or a rate that is not positive, or is not a number, is left out.
    static func formats(_ alternatives: [Structure]) -> [CameraFormat] {
        var order: [MediaType] = []
        var sizes: [MediaType: [FrameSize]] = [:]
        for structure in alternatives {
            for media in structure.mediaTypes {
                if sizes[media] == nil { order.append(media) }
                sizes[media, default: []] += structure.frameSizes
            }
        }
        return order.map { CameraFormat(fourcc: .none, title: "", media: $0, sizes: sizes[$0, default: []]) }
    }
}

extension Structure {
    fileprivate var mediaTypes: [MediaType] {
        guard let format = fields["format"] else { return [MediaType(name)] }
        return format.alternatives.compactMap { String.read($0) }.map { MediaType(name, format: $0) }
    }

    fileprivate var frameSizes: [FrameSize] {
        let rates = fields["framerate"]?.frameRates ?? .unknown
        let heights = fields["height"]?.ranges ?? []
        return (fields["width"]?.ranges ?? []).flatMap { width in
            heights.map { FrameSize(width, $0, rates: rates) }
        }
    }
}

extension Value {
    /// The items of a list or an array; any other value alone.
    fileprivate var alternatives: [Value] {
        switch self {
        case .list(let items), .array(let items): items
        default: [self]
        }
    }

    /// The positive integers.
    fileprivate var ranges: [SteppedRange] {
        alternatives.compactMap { value in
            if case .intRange(let range, let step) = value {
                guard range.lowerBound > 0 else { return nil }
                return SteppedRange(Int(range.lowerBound), through: Int(range.upperBound), step: Int(step))
            }
            return Int.read(value).flatMap { $0 > 0 ? SteppedRange($0) : nil }
        }
    }

    fileprivate var frameRates: FrameRates {
        guard case .fractionRange(let low, let high) = self else {
            return .discrete(alternatives.compactMap { Fraction.read($0).flatMap(FrameRate.init) }.sorted(by: >))
        }
        guard let fast = FrameRate(high) else { return .unknown }
        // Many ranges begin at 0/1, which is no rate: those begin at 1 frame a second, or at their end if it is slower.
        let slow = FrameRate(low) ?? FrameRate(1) ?? fast
        return .range(min(slow, fast)...fast)
    }
}

extension FrameRate {
    /// Returns `nil` if the fraction is not positive.
    fileprivate init?(_ fraction: Fraction) { self.init(Int(fraction.numerator), Int(fraction.denominator)) }
}
