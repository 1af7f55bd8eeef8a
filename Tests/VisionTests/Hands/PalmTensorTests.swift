import Testing
@testable import Vision

@testable import Raster

/// Limits on the border around the picture in the palm detector's input.
@Suite struct PalmTensorTests {
    private func tensor(_ width: Double, _ height: Double, scale: Double = 1) -> PalmTensor {
        let geometry = DisplayGeometry(storedWidth: Int(width), storedHeight: Int(height))
        return PalmTensor(PictureWindow(around: geometry, scale: scale), geometry: geometry)
    }

    @Test(
        arguments: [
            (1280, 720, 128, 192), (720, 1280, 192, 128), (640, 480, 192, 192), (900, 600, 128, 192),
            (2048, 858, 128, 192), (500, 500, 192, 192), (640, 427, 192, 192),
        ] as [(Double, Double, Int, Int)])
    func aWholePictureFits(_ width: Double, _ height: Double, _ rows: Int, _ columns: Int) {
        let tensor = tensor(width, height)
        #expect(tensor.size == PalmDetector.InputSize(rows: rows, columns: columns))
        // The middle of the one is the middle of the other, and its longer side fills it.
        let middle = tensor.toUpright.apply(x: Double(columns) / 2, y: Double(rows) / 2)
        #expect(abs(middle.x - width / 2) < 1e-9 && abs(middle.y - height / 2) < 1e-9)
        let corner = tensor.toUpright.apply(x: 0, y: 0)
        #expect(max(corner.x, corner.y) <= 1e-9)
        #expect(abs(max(corner.x, corner.y)) < 1e-9 || width == height)
    }

    /// At lower resolution the picture is smaller, and so is the input.
    @Test func lowResolutionShrinksTheInput() {
        let tensor = tensor(1280, 720, scale: 1.5)
        #expect(tensor.size == PalmDetector.InputSize(rows: 128, columns: 128))
        let corner = tensor.toUpright.apply(x: 0, y: 0)
        #expect(abs(corner.x) < 1e-9 && corner.y < 0)
    }

    @Test func highResolutionWindowsCostLess() throws {
        let geometry = DisplayGeometry(storedWidth: 1280, storedHeight: 720)
        let newcomer = ChangedRegion(left: 0.7, top: 0.7, right: 0.8, bottom: 1)
        let window = try #require(PictureWindow(around: newcomer, margin: 1.8, geometry: geometry))
        let tensor = PalmTensor(window, geometry: geometry)
        #expect(tensor.size == PalmDetector.InputSize(rows: 128, columns: 128))
        let corner = tensor.toUpright.apply(x: 0, y: 0), end = tensor.toUpright.apply(x: 128, y: 128)
        #expect(abs(corner.x - window.left) < 1e-9 && abs(corner.y - window.top) < 1e-9)
        #expect(abs(end.x - window.left - window.side) < 1e-9)
    }
}
