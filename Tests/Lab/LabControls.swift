// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import Testing

/// The controls of a camera, as the service returns them.
struct LabControls: Decodable {
    struct Control: Decodable {
        let name: String
        let value: Int?
        let min: Int
        let max: Int

        enum CodingKeys: CodingKey {
            case name, value, min, max
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            // Controls of text have a text.
            value = try? container.decode(Int.self, forKey: .value)
            min = try container.decode(Int.self, forKey: .min)
            max = try container.decode(Int.self, forKey: .max)
        }
    }

    let controls: [Control]
    let locked: [String]
    let ramped: [String]

    /// Parses the output of a step.
    init(of step: LabStep) throws {
        #expect(step.status == 0, "\(step.error)")
        self = try JSONDecoder().decode(Self.self, from: Data(step.output.utf8))
    }

    /// The value of a control.
    func value(_ name: String) -> Int? { controls.first { $0.name == name }?.value }
}
