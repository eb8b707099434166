// Part of gst-capture. Apache License 2.0, see LICENSE.

import DatabaseKit

/// The template of the names of a series at a target, with the words that the template uses besides the line of each
/// picture. Every picture that was sent can be named again, also after the configuration has changed.
package struct UploadNaming: Sendable, Hashable {
    package var template: UploadName
    /// The address of the target: a picture is not sought at another one.
    package var address: String
    package var board: String
    package var series: String
    package var camera: String
    /// `true` if small copies are sent.
    package var isSmall: Bool

    package init(
        _ template: UploadName, address: String, board: String, series: String, camera: String = "",
        isSmall: Bool = false
    ) {
        (self.template, self.address, self.isSmall) = (template, address, isSmall)
        (self.board, self.series, self.camera) = (board, series, camera)
    }

    /// Returns a picture with the words of its folder.
    func completed(_ picture: UploadPicture) -> UploadPicture {
        var picture = picture
        picture.board = board
        if !series.isEmpty { picture.series = series }
        if !camera.isEmpty { picture.camera = camera }
        return picture
    }

    /// Returns the name of a picture with these words.
    func name(of picture: UploadPicture) -> String { template.name(of: isSmall ? picture.asJPEG : picture) }
}

extension Database {
    private static var columns: String { "template, address, board, series, camera, small" }

    /// Records that the pictures of lines get their names by a naming.
    func add(_ lines: ClosedRange<Int>, to lane: OutboxStore.Lane, named naming: UploadNaming) throws(DatabaseError) {
        try insertLines(
            lines, into: "named",
            ["target": .text(lane.target), "source": .integer(lane.source), "naming": .integer(try number(of: naming))])
    }

    private func number(of naming: UploadNaming) throws(DatabaseError) -> Int64 {
        let values: [DatabaseValue] = [
            .text(naming.template.text), .text(naming.address), .text(naming.board), .text(naming.series),
            .text(naming.camera), .init(naming.isSmall),
        ]
        let rows = try prepare("SELECT number FROM naming WHERE (\(Self.columns)) = (?, ?, ?, ?, ?, ?)", values)
        if try rows.next() { return try rows.requiredInteger(0) }
        return try insert("INSERT INTO naming(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)", values)
    }

    /// Returns the naming of a line; `nil` if it has none, such as one that an earlier version has sent.
    func naming(ofLine line: Int, _ lane: OutboxStore.Lane) throws(DatabaseError) -> UploadNaming? {
        let rows = try prepare(
            """
            SELECT \(Self.columns) FROM named JOIN naming ON number = naming
            WHERE target = ?1 AND source = ?2 AND first <= ?3 AND last >= ?3
            """, [.text(lane.target), .integer(lane.source), .init(line)])
        guard try rows.next() else { return nil }
        guard let template = try? UploadName(try rows.requiredText(0)) else { throw rows.wrong(0) }
        return UploadNaming(
            template, address: try rows.requiredText(1), board: try rows.requiredText(2),
            series: try rows.requiredText(3), camera: try rows.requiredText(4),
            isSmall: try rows.requiredInteger(5) != 0)
    }
}
