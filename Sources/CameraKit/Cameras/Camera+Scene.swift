// Part of gst-capture. Apache License 2.0, see LICENSE.

extension Camera {
    /// The ID of the built-in scene.
    public static let sceneID = "scene"

    /// The built-in scene (`videotestsrc`): moving bars, for tests without a camera.
    ///
    /// The scene supports every size up to 8K. The list begins with the sizes of common cameras.
    public static let scene = Camera(
        id: sceneID, name: "Built-in test scene", kind: .scene,
        formats: [
            sceneFormat("YU12", "Planar YUV 4:2:0"), sceneFormat("NV12", "Y/UV 4:2:0"),
            sceneFormat("YUYV", "YUYV 4:2:2"), sceneFormat("RGB3", "24-bit RGB"),
            sceneFormat("GREY", "8-bit grayscale"),
        ])

    private static func sceneFormat(_ fourcc: String, _ title: String) -> CameraFormat {
        CameraFormat(fourcc: FourCC(fourcc), title: title, sizes: sceneSizes)
    }

    private static let sceneSizes: [FrameSize] = {
        let common = [(1920, 1080), (1280, 720), (640, 480), (320, 240), (2560, 1440), (3840, 2160)]
        let any = SteppedRange(2, through: 7680)
        return common.map { FrameSize($0.0, $0.1, rates: sceneRates) } + [FrameSize(any, any, rates: sceneRates)]
    }()

    private static let sceneRates: FrameRates = {
        guard let slow = FrameRate(1, 60), let fast = FrameRate(240) else { return .unknown }
        return .range(slow...fast)
    }()
}
