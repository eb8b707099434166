// Part of gst-capture. Apache License 2.0, see LICENSE.

import OverlayCompositor
import Testing

extension RasterProcess {
    /// The built raster program, which draws as in service.
    static func built(deadline: Duration = .seconds(20)) throws -> RasterProcess {
        RasterProcess(executable: try standard().executable, deadline: deadline)
    }

    /// The result of a request. The next valid request must work after any result.
    func outcome(
        of request: RasterRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Result<RasterImage, OverlayError> {
        let result = await attempt(request)
        let next = try? await patientOutcome(of: .good).get()
        #expect(next?.bounds == [50, 0, 100, 100], "the next request works", sourceLocation: sourceLocation)
        return result
    }

    /// The result of a valid request. On a busy machine it may take longer than a short deadline, and is then repeated.
    func patientOutcome(of request: RasterRequest) async -> Result<RasterImage, OverlayError> {
        while true {
            let result = await attempt(request)
            if result.code != .tooMuch { return result }
        }
    }

    private func attempt(_ request: RasterRequest) async -> Result<RasterImage, OverlayError> {
        do throws(OverlayError) {
            return .success(try await rasterize(request))
        } catch {
            return .failure(error)
        }
    }
}

extension Result<RasterImage, OverlayError> {
    /// The kind of failure; `nil` for an image.
    var code: OverlayError.Code? {
        switch self {
        case .success: nil
        case .failure(let error): error.code
        }
    }
}
