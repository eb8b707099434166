// Part of gst-capture. Apache License 2.0, see LICENSE.

import CaptureBase
import StillKit

/// The pictures of a contact sheet, or of several, and all that is written on it.
///
/// A value: the pixels of the pictures are not known, so that damaged ones are still in it.
package struct SheetPlan: Sendable {
    /// The pictures that are shown, in their order.
    package let pictures: [FilmPicture]
    /// The layout of each sheet.
    package let layout: SheetLayout
    /// The title of the folder, the series or the album.
    package let title: String
    /// The number of pictures of which these are chosen.
    package let allCount: Int
    /// The first and the last day, or the only one.
    package let days: String
    private let caption: SheetSettings.Caption
    private let timeFormat: String

    /// Plans a sheet.
    ///
    /// - Parameter film: The pictures of which some are chosen.
    /// - Throws: ``CaptureError`` `.usage` if the columns and the size do not fit.
    package init(_ film: FilmPlan, _ settings: SheetSettings, title: String) throws(CaptureError) {
        let all = film.frames.map(\.picture)
        let times = Self.times(all)
        let pictures = Self.chosen(all, times, settings.choice)
        (self.pictures, self.title, allCount) = (pictures, title, all.count)
        let sorted = times.sorted { $0.nanoseconds < $1.nanoseconds }
        let ends = [sorted.first, sorted.last].compactMap { $0?.time.formatted("%Y-%m-%d") }
        days = Set(ends).count > 1 ? ends.joined(separator: " to ") : ends.first ?? ""
        caption = settings.caption
        layout = try Self.layout(pictures, settings)
        timeFormat = settings.timeFormat ?? Self.format(pictures, isOneDay: Set(ends).count < 2, layout)
    }

    /// Plans one sheet of pictures that are chosen already.
    ///
    /// - Parameter roll: All pictures, of which these are chosen.
    /// - Throws: As ``init(_:_:title:)``.
    init(
        _ pictures: [FilmPicture], of roll: SheetRoll, _ settings: SheetSettings, title: String
    ) throws(CaptureError) {
        var settings = settings
        settings.choice = .most(pictures.count)
        (self.pictures, self.title, allCount, days) = (pictures, title, roll.count, roll.days)
        caption = settings.caption
        layout = try Self.layout(pictures, settings)
        timeFormat = settings.timeFormat ?? Self.format(pictures, isOneDay: !days.contains(" "), layout)
    }

    /// The number of sheets.
    package var sheetCount: Int { (pictures.count + layout.capacity - 1) / layout.capacity }

    /// Returns the pictures of a sheet, by its number from 0.
    package func pictures(ofSheet number: Int) -> ArraySlice<FilmPicture> {
        pictures[number * layout.capacity..<min(pictures.count, (number + 1) * layout.capacity)]
    }

    /// Returns the text below a picture; `nil` for none.
    package func caption(of picture: FilmPicture) -> String? {
        switch caption {
        case .time: picture.moment.time.formatted(timeFormat)
        case .name: DeviceFiles.name(of: picture.name)
        case .none: nil
        }
    }

    /// Returns the path of a sheet, by its number from 0: `sheet.jpg`, `sheet-2.jpg`.
    package static func path(_ path: String, sheet number: Int) -> String {
        guard number > 0, let dot = path.lastIndex(of: ".") else { return path }
        return "\(path[..<dot])-\(number + 1)\(path[dot...])"
    }

    // MARK: Choice

    /// Returns the times of pictures. If some have no time of the capture, that of the picture before counts: the dates of
    /// files can be years later.
    private static func times(_ pictures: [FilmPicture]) -> [FilmPicture.Moment] {
        let moments = pictures.map(\.moment)
        guard var last = moments.first(where: { $0.origin == .capture }) else { return moments }
        return moments.map { moment in
            if moment.origin == .capture { last = moment }
            return last
        }
    }

    private static func chosen(
        _ pictures: [FilmPicture], _ moments: [FilmPicture.Moment], _ choice: SheetSettings.Choice
    ) -> [FilmPicture] {
        let times = moments.map(\.nanoseconds)
        return switch choice {
        case .most(let count): SheetChoice.even(times, most: count).map { pictures[$0] }
        case .every(let interval): SheetChoice.every(interval.nanoseconds, times).map { pictures[$0] }
        case .all: pictures
        }
    }

    private static func layout(
        _ pictures: [FilmPicture], _ settings: SheetSettings
    ) throws(CaptureError) -> SheetLayout {
        let aspect = aspect(pictures)
        let hasCaptions = settings.caption != .none
        return try SheetLayout(
            count: capacity(pictures.count, aspect, settings), aspect: aspect, width: settings.width,
            columns: settings.columns, hasCaptions: hasCaptions)
    }

    /// Returns the number of pictures of a sheet. Only a number of the user makes a sheet that is higher than a page.
    private static func capacity(_ count: Int, _ aspect: Double, _ settings: SheetSettings) -> Int {
        if case .most = settings.choice { return count }
        guard let columns = settings.columns else { return min(count, SheetSettings.usualCount) }
        let most = SheetLayout.capacity(
            columns: columns, aspect: aspect, width: settings.width, hasCaptions: settings.caption != .none)
        return min(count, most)
    }

    /// Returns the shape of most pictures, or a square if many others are upright in place of lying, or the other way.
    private static func aspect(_ pictures: [FilmPicture]) -> Double {
        let uprightCount = pictures.count { $0.size.height > $0.size.width }
        let lyingCount = pictures.count { $0.size.width > $0.size.height }
        guard min(uprightCount, lyingCount) * 4 <= pictures.count else { return 1 }
        let sizes = FilmCount.counts(pictures.map(\.size), by: \.area)
        guard let usual = sizes.first?.value, usual.height > 0 else { return 1 }
        return min(4, max(0.25, Double(usual.width) / Double(usual.height)))
    }

    /// Returns a format with as much of the time as tells the pictures apart, and fits below them.
    private static func format(_ pictures: [FilmPicture], isOneDay: Bool, _ layout: SheetLayout) -> String {
        let minutes = Set(pictures.map { $0.moment.time.seconds / 60 })
        let time = minutes.count < pictures.count ? "%H:%M:%S" : "%H:%M"
        if isOneDay { return time }
        return (layout.cell.width > 10 * layout.captionHeight ? "%Y-%m-%d " : "%m-%d ") + time
    }
}
