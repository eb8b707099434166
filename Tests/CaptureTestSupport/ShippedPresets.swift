// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation

/// The presets that come with gst-capture.
package enum ShippedPresets {
    package static let folder = "\(#filePath.split(separator: "/Tests/")[0])/pipelines"

    package static let paths: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { folder + "/" + $0 }
    }()
}

/// The sessions that come with gst-capture.
package enum ShippedSessions {
    package static let folder = ShippedPresets.folder + "/sessions"

    package static let paths: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().map { folder + "/" + $0 }
    }()
}
