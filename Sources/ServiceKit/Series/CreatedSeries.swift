// Part of gst-capture. Apache License 2.0, see LICENSE.

import CameraKit
import CaptureBase
import CaptureKit
import PresetKit
import ScheduleKit
import StillKit

/// A series that a client creates: the ID, the camera, and separate settings. The service chooses the file names.
public struct CreatedSeries: Sendable, Equatable {
    /// Its ID, unique in the service.
    public let id: String
    /// The ID of its camera.
    public let camera: String
    /// Its own settings.
    let settings: CaptureSettings
    /// The text that ``init(_:file:)`` reads, as one JSON object.
    let json: JSONValue

    /// The maximum size of a text, in bytes.
    public static let mostBytes = SettingsObject.mostBytes
    /// The settings that a client may give: none of them names a file or runs a program.
    package static let keys = [
        "encoding", "quality", "live", "delay", "countdown", "burst", "interval", "count", "for", "until", "start",
        "align", "hours", "days", "latitude", "longitude", "late-slots", "keep-free", "max-size", "max-age",
        "max-count", "on-limit", "hold", "standby", "stall-after", "film", "film-rate", "film-size", "film-gaps",
        "film-deflicker", "film-time", "film-bitrate", "film-max-age",
    ]

    /// Reads an object with the members `id` and `camera`, and ``keys`` with the values of a preset.
    ///
    /// - Parameter file: The name of the text in errors.
    /// - Throws: `CaptureError` `.usage` with a line for each mistake.
    public init(_ bytes: [UInt8], file: String) throws(CaptureError) {
        let object = try SettingsObject(bytes, file: file, ids: ["id", "camera"], keys: Self.keys)
        (id, camera) = (object.ids["id"] ?? "", object.ids["camera"] ?? "")
        (settings, json) = (object.settings, .object(object.members))
    }

    /// Returns the series of a camera, whose pictures go into the folder with its ID.
    ///
    /// - Throws: `CaptureError` `.usage` if its settings do not fit together or do not fit the camera's.
    func series(of camera: ServiceCamera, in folder: String) throws(CaptureError) -> ServiceSeries {
        var settings = settings.merging(over: camera.settings.withoutOutput)
        settings.keepFree = settings.keepFree ?? StoragePolicy.floorForClients
        let format = settings.encoding ?? camera.settings.output.flatMap(StillFormat.init(fileName:)) ?? .jpeg
        let mark = settings.live == true ? "MP." : ""
        settings.output = "\(folder)/\(id)/%Y-%m-%d/%H%M%S_%n.\(mark)\(format.fileExtension)"
        let series = ServiceSeries(id: id, settings: settings)
        do throws(CaptureError) {
            try CaptureConfiguration.check(series.lasting, mode: .timelapse)
            _ = try series.films()
        } catch {
            // The errors of a capture name options, which are members here.
            let key = error.subject.flatMap { $0.hasPrefix("--") ? String($0.dropFirst(2)) : nil }
            throw CaptureError(
                .usage, error.message.replacing("--", with: ""), subject: key.map { Setting.named($0)?.key ?? $0 },
                advice: error.advice?.replacing("--", with: ""))
        }
        return series
    }
}

extension ServiceConfiguration {
    /// Returns the configuration with series that clients created, and an error for each that does not fit into it.
    ///
    /// - Parameter folder: The folder of their pictures.
    func adding(_ created: [CreatedSeries], in folder: String) -> (ServiceConfiguration, errors: [CaptureError]) {
        var (configuration, errors) = (self, [CaptureError]())
        for series in created {
            do throws(CaptureError) {
                try configuration.add(series, in: folder)
            } catch {
                errors.append(CaptureError(error.code, error.summary, subject: "series \(series.id)"))
            }
        }
        return (configuration, errors)
    }

    /// Adds a series that a client created.
    ///
    /// - Throws: `CaptureError` `.noInput` if there is no such camera, `.cannotCreate` if the ID is in use, `.usage` if
    ///   the settings do not fit together.
    mutating func add(_ created: CreatedSeries, in folder: String) throws(CaptureError) {
        guard let index = cameras.firstIndex(where: { $0.id == created.camera }) else {
            throw .unknown("camera", created.camera)
        }
        let isTaken = cameras.contains { camera in
            camera.series.contains { $0.id == created.id } || camera.requested?.id == created.id
        }
        guard !isTaken else {
            throw CaptureError(.cannotCreate, "is in use", subject: created.id.quoted, advice: "give another ID")
        }
        let series = try created.series(of: cameras[index], in: folder)
        cameras[index].series.append(series)
    }

    /// Removes a series.
    mutating func remove(series id: String) {
        for index in cameras.indices { cameras[index].series.removeAll { $0.id == id } }
    }
}
