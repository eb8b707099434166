// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import PipelineKit

/// The frames of a film, in their order, and the findings about its pictures.
///
/// A value: the pixels of the pictures are not known, so that damaged ones are still in it.
package struct FilmPlan: Sendable {
    /// A picture of the film.
    package struct Frame: Sendable, Hashable {
        package let picture: FilmPicture
        package let geometry: FilmGeometry
        /// The number of further frames for which the picture is shown, because others are missing.
        package var hold = 0
    }

    /// How long a picture is shown for missing ones, at most.
    package static let mostHold = Duration.seconds(10)
    /// The part of the usual interval above which pictures are missing between two others.
    private static let tolerance = 1.75
    /// The most pictures that are missing in one gap: more is a number by mistake.
    private static let mostMissing = 100_000_000

    /// The frames.
    package private(set) var frames: [Frame] = []
    /// Frames per second.
    package let rate: Fraction
    /// The size of the film.
    package let size: FrameSize
    /// The places at which pictures are missing.
    package private(set) var gaps: [FilmGap] = []
    /// The pictures before which the clock was set back.
    package private(set) var clockSteps: [FilmClockStep] = []
    /// The cameras with the number of their pictures, the most frequent one first.
    package let cameras: [FilmCount]
    /// The sizes of the pictures with their number, the most frequent one first.
    package let sizes: [FilmCount]
    /// The number of pictures that the user's choice of times and camera leaves out.
    package let leftOutCount: Int
    /// The number of pictures whose time is that of their file.
    package let untimedCount: Int

    /// Plans a film.
    ///
    /// - Parameters:
    ///   - pictures: The pictures in the order of their series, or in any order.
    ///   - isOrdered: `true` if the order of the pictures is that of their series.
    /// - Throws: ``CaptureError`` without a subject: `noInput` if no picture is left, `usage` if the length does not fit.
    package init(
        _ pictures: [FilmPicture], _ settings: FilmSettings, isOrdered: Bool = false
    ) throws(CaptureError) {
        let chosen = Self.ordered(pictures.filter { Self.isChosen($0, settings) }, settings.order, isOrdered)
        guard !chosen.isEmpty else { throw Self.noPictures(pictures, settings) }
        leftOutCount = pictures.count - chosen.count
        untimedCount = chosen.count { $0.moment.origin == .file }
        cameras = FilmCount.counts(chosen.map { $0.camera ?? FilmCount.unknown })
        let sizes = FilmCount.counts(chosen.map(\.size), by: \.area)
        self.sizes = sizes.map { FilmCount(name: $0.value.description, count: $0.count) }
        let usual = sizes[0].value
        size = Self.size(usual, settings)
        let film = size
        frames = chosen.map { picture in
            Frame(
                picture: picture,
                geometry: FilmGeometry(
                    of: picture.size, usual: usual, film: film, crop: settings.crop, fills: settings.fills))
        }
        (gaps, clockSteps) = Self.findings(chosen)
        rate = try Self.rate(chosen.count, settings.pace)
        if settings.gaps == .hold { hold() }
    }

    /// The number of frame times of the film: each frame, and those that it is held.
    package var unitCount: Int { frames.reduce(0) { $0 + 1 + $1.hold } }

    /// The duration of the film.
    package var duration: Duration { duration(ofUnits: unitCount) }

    /// Returns the duration of a number of frame times.
    package func duration(ofUnits count: Int) -> Duration { Self.duration(ofUnits: count, rate) }

    /// Returns the duration of a number of frame times at a rate.
    static func duration(ofUnits count: Int, _ rate: Fraction) -> Duration {
        .nanoseconds(Int64(Double(count) * 1e9 * Double(rate.denominator) / Double(rate.numerator)))
    }

    /// Returns the number of frames for which a picture is held, at most.
    static func mostHold(at rate: Fraction) -> Int { max(0, Int(mostHold / .seconds(1) * rate.doubleValue)) }

    /// Shows the picture before each gap longer.
    private mutating func hold() {
        let most = Self.mostHold(at: rate)
        for index in gaps.indices {
            let count = min(most, gaps[index].missingCount)
            gaps[index].heldCount = count
            frames[gaps[index].place - 1].hold = count
        }
    }
}

// MARK: - Choice

extension FilmPlan {
    private static func isChosen(_ picture: FilmPicture, _ settings: FilmSettings) -> Bool {
        if let camera = settings.camera, (picture.camera ?? FilmCount.unknown) != camera { return false }
        if let since = settings.since, picture.moment.nanoseconds < FilmPicture.Moment(since, .file).nanoseconds {
            return false
        }
        guard let until = settings.until else { return true }
        return picture.moment.nanoseconds < FilmPicture.Moment(until, .file).nanoseconds
    }

    private static func ordered(
        _ pictures: [FilmPicture], _ order: FilmSettings.Order, _ isOrdered: Bool
    ) -> [FilmPicture] {
        switch order {
        case .name where isOrdered: pictures
        case .name: pictures.sorted { NaturalOrder.precedes($0.name, $1.name) }
        case .time:
            pictures.sorted { left, right in
                let (first, second) = (left.moment.nanoseconds, right.moment.nanoseconds)
                return first == second ? NaturalOrder.precedes(left.name, right.name) : first < second
            }
        }
    }

    private static func noPictures(_ pictures: [FilmPicture], _ settings: FilmSettings) -> CaptureError {
        guard !pictures.isEmpty else {
            return CaptureError(
                .noInput, "has no pictures", advice: "name a folder with JPEG or PNG files, or a ledger")
        }
        let cameras = FilmCount.counts(pictures.map { $0.camera ?? FilmCount.unknown }).map(\.name.quoted)
        guard let camera = settings.camera, !cameras.contains(camera.quoted) else {
            return CaptureError(.noInput, "has no pictures of this time", advice: "change --since or --until")
        }
        return CaptureError(
            .noInput, "has no pictures of the camera \(camera.quoted)",
            advice: "choose one of \(cameras.prefix(10).joined(separator: ", "))")
    }

    /// Returns the size of a film of pictures of this size.
    static func size(_ usual: FrameSize, _ settings: FilmSettings) -> FrameSize {
        if let size = settings.size { return size.ofFilm }
        let crop = settings.crop.map { crop in
            FrameSize(
                width: min(crop.width, max(1, usual.width - crop.x)),
                height: min(crop.height, max(1, usual.height - crop.y)))
        }
        return (crop ?? usual).ofFilm
    }

    private static func rate(_ count: Int, _ pace: FilmSettings.Pace) throws(CaptureError) -> Fraction {
        switch pace {
        case .rate(let rate): return rate
        case .length(let length):
            let rate = Double(count) / max(1e-9, Double(length.nanoseconds) / 1e9)
            guard (0.01...120).contains(rate) else {
                let (least, most) = (Int((Double(count) / 120).rounded(.up)), count * 100)
                throw CaptureError(
                    .usage, "\(count) pictures do not make a film of \(length.shortText)",
                    advice: "give a --length of \(max(1, least))s to \(most)s")
            }
            return Fraction(Int32((rate * 1000).rounded()), 1000)
        }
    }
}

// MARK: - Findings

extension FilmPlan {
    /// Finds missing pictures and steps of the clock between neighbors.
    private static func findings(_ pictures: [FilmPicture]) -> (gaps: [FilmGap], steps: [FilmClockStep]) {
        let interval = usualInterval(pictures)
        var (gaps, steps): ([FilmGap], [FilmClockStep]) = ([], [])
        // The last picture of each camera: those of several cameras may be mixed.
        var last: [String: FilmPicture] = [:]
        for (place, picture) in pictures.enumerated() {
            let camera = picture.camera ?? ""
            defer { last[camera] = picture }
            if let before = last[camera], let span = span(before, picture), span < -1_000_000_000 {
                steps.append(FilmClockStep(name: picture.name, back: .nanoseconds(-span)))
            }
            guard place > 0 else { continue }
            let before = pictures[place - 1]
            guard let count = missing(before, picture, interval), count > 0 else { continue }
            gaps.append(
                FilmGap(
                    place: place, after: before.name, before: picture.name, start: before.moment.time,
                    end: picture.moment.time, missingCount: min(count, mostMissing)))
        }
        return (gaps, steps)
    }

    /// Returns the number of pictures that are missing between two neighbors: by the slots of their series, by their times,
    /// or by the numbers in their names. `nil` if that is not known.
    private static func missing(_ left: FilmPicture, _ right: FilmPicture, _ interval: Double?) -> Int? {
        if let count = left.slot?.missingCount(before: right.slot) { return count }
        if let span = span(left, right), let interval {
            guard span >= 0, Double(span) > interval * tolerance else { return 0 }
            return Int((min(Double(span) / interval, Double(mostMissing))).rounded()) - 1
        }
        guard let first = NaturalOrder.lastNumber(in: left.name), let second = NaturalOrder.lastNumber(in: right.name),
            first.head == second.head, first.tail == second.tail
        else { return nil }
        return max(0, second.number - first.number - 1)
    }

    /// Returns the time between the captures of two pictures in nanoseconds; `nil` if it is not known, or the pictures are
    /// of two cameras.
    private static func span(_ left: FilmPicture, _ right: FilmPicture) -> Int64? {
        guard left.moment.origin == .capture, right.moment.origin == .capture, left.camera == right.camera else {
            return nil
        }
        let (span, overflow) = right.moment.nanoseconds.subtractingReportingOverflow(left.moment.nanoseconds)
        return overflow ? nil : span
    }

    /// Returns the median time between neighbors in nanoseconds; `nil` if it is below a tenth of a second, or there are
    /// less than 3.
    private static func usualInterval(_ pictures: [FilmPicture]) -> Double? {
        let spans = zip(pictures, pictures.dropFirst()).compactMap { span($0, $1) }.filter { $0 > 0 }.sorted()
        guard spans.count >= 3 else { return nil }
        let median = Double(spans[spans.count / 2])
        return median >= 1e8 ? median : nil
    }
}
