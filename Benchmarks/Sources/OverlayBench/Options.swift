// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The options of the command line.
struct Options {
    /// Lines of JSON instead of tables.
    var isJSON = false
    /// Only ours at 1080p I420, without the peers: a check of a few seconds.
    var isQuick = false
    /// Only frames whose name contains this text, such as `1080p` or `2160p NV12`.
    var only = ""
    /// This process only counts allocations.
    var countsAllocations = false
    /// The folder of the outlines.
    var outlines = "pipelines/outlines"
    var rounds = Rounds()

    static let usage = "usage: OverlayBench [--json] [--quick] [--only FRAMES] [--rounds N] [--outlines FOLDER]"

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--quick": isQuick = true
            case Allocations.option: countsAllocations = true
            case "--only": only = try Self.value(&rest)
            case "--outlines": outlines = try Self.value(&rest)
            case "--rounds":
                guard let count = Int(try Self.value(&rest)), count > 0 else { throw BenchError(Self.usage) }
                rounds.count = count
            default: throw BenchError(Self.usage)
            }
        }
    }

    private static func value(_ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw BenchError(usage) }
        return value
    }
}
