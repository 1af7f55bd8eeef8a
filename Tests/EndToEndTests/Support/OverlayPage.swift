import Foundation
import Testing
import TestSupport

/// A picture with red, green, blue and alpha of 8 bits, row after row. Colours are not premultiplied.
struct TransparentPicture {
    let width: Int, height: Int
    let pixels: [UInt8]

    /// - Parameter bytes: the bytes of an image file, such as PNG.
    static func decode(_ bytes: Data, width: Int, height: Int, in bench: Workbench) async throws -> TransparentPicture {
        try bench.write(bytes, as: "picture.png")
        try await bench.ffmpeg(["-i", "picture.png", "-f", "rawvideo", "-pix_fmt", "rgba", "picture.raw"])
        let pixels = [UInt8](try bench.bytes("picture.raw"))
        try #require(pixels.count == width * height * 4)
        return TransparentPicture(width: width, height: height, pixels: pixels)
    }

    /// The share of pixels that are not fully transparent.
    var coverage: Double {
        Double(stride(from: 3, to: pixels.count, by: 4).count { pixels[$0] > 0 }) / Double(width * height)
    }
}

/// The page of the browser source, in Chromium.
enum OverlayPage {
    /// Holds when the page follows the run.
    static let isReady = "typeof overlay !== 'undefined' && overlay.isConnected"

    /// Sets the size of the page, on a transparent ground.
    static func prepare(_ browser: Chromium, width: Int, height: Int) async throws {
        try await browser.call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
        try await browser.call(
            "Emulation.setDefaultBackgroundColorOverride", ["color": ["r": 0, "g": 0, "b": 0, "a": 0]])
    }

    /// The page as it is shown.
    static func screenshot(
        _ browser: Chromium, width: Int, height: Int, in bench: Workbench
    ) async throws -> TransparentPicture {
        let answer = try await browser.call("Page.captureScreenshot", ["format": "png"])
        let bytes = try #require(answer["data"]?.string.flatMap { Data(base64Encoded: $0) })
        return try await .decode(bytes, width: width, height: height, in: bench)
    }
}
