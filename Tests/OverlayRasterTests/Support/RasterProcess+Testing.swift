// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

extension RasterProcess {
    /// The built raster program.
    ///
    /// - Parameter limit: The processor time of a request. From 5 s on, a busy machine has 60 s of wall time for it.
    static func built(limit: Duration = .seconds(20)) throws -> RasterProcess {
        RasterProcess(executable: try standard().executable, limit: limit)
    }

    /// The result of a request. The next valid request must work after any result.
    func outcome(
        of request: RasterRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Result<RasterImage, OverlayError> {
        let result: Result<RasterImage, OverlayError>
        do throws(OverlayError) {
            result = .success(try await rasterize(request))
        } catch {
            result = .failure(error)
        }
        let next = try? await rasterize(.good)
        #expect(next?.bounds == [50, 0, 100, 100], "the next request works", sourceLocation: sourceLocation)
        return result
    }
}

extension Result<RasterImage, OverlayError> {
    /// The code of the error; `nil` for an image.
    var code: OverlayError.Code? {
        switch self {
        case .success: nil
        case .failure(let error): error.code
        }
    }
}
