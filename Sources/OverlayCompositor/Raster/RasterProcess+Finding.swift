// Part of gst-capture. Apache License 2.0, see LICENSE.

import Glibc
import SystemBase

extension RasterProcess {
    /// Finds the `gst-capture-raster` that was installed with this program.
    ///
    /// - Throws: ``OverlayError`` as ``standard(beside:)``.
    public static func standard() throws(OverlayError) -> RasterProcess {
        try standard(beside: InstalledProgram.running)
    }

    /// Finds the `gst-capture-raster` that was installed with a program or plugin.
    ///
    /// If `GST_CAPTURE_RASTER` is set, it names the executable. Otherwise the first of these is used: beside this
    /// program, in `../libexec/gst-capture` relative to this program's folder, in `/usr/local/libexec/gst-capture`, in
    /// `/usr/libexec/gst-capture`.
    ///
    /// - Parameter program: The file of this program, or that of the plugin in which this code is.
    /// - Throws: ``OverlayError`` with `rasterizer` if there is none, or if the variable names no executable.
    package static func standard(beside program: String?) throws(OverlayError) -> RasterProcess {
        let named = getenv("GST_CAPTURE_RASTER").map { String(cString: $0) }
        return RasterProcess(
            executable: try find(named: named, program: program, canRun: InstalledProgram.canRun))
    }

    static func find(
        named: String?, program: String?, canRun: (String) -> Bool
    ) throws(OverlayError) -> String {
        if let named, !named.isEmpty {
            guard canRun(named) else {
                throw OverlayError(
                    .rasterizer, "is not an executable, but GST_CAPTURE_RASTER names it", subject: named,
                    advice: "unset it, or name gst-capture-raster")
            }
            return named
        }
        guard let path = InstalledProgram.path(of: "gst-capture-raster", beside: program, where: canRun) else {
            throw OverlayError(
                .rasterizer, "gst-capture-raster, which draws overlays, is not installed",
                advice: "install gst-capture as a whole, or name it in GST_CAPTURE_RASTER")
        }
        return path
    }
}
