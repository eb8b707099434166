public struct LibraryPicture: Sendable {
    var path: String?
    let bytes: [UInt8], format: StillFormat, width: Int, height: Int
    init(bytes: [UInt8], format: StillFormat, width: Int, height: Int) { (self.bytes, self.format, self.width, self.height) = (bytes, format, width, height) }
    init(path: String) throws(CaptureError) { fatalError() }
    public static func album(_ path: String) throws(CaptureError) -> [String] { [] }
}
