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

    /// A summary of the picture in a few numbers, which small differences hardly change.
    struct Impression {
        /// The mean opacity, 0…1.
        var opacity = 0.0
        /// The mean premultiplied red, green and blue, 0…1.
        var colour = [0.0, 0.0, 0.0]
        /// The centre of the opacity, as fractions of the picture.
        var x = 0.0, y = 0.0
        /// The sides of all pixels of more than an eighth of the opacity: left, top, right, bottom.
        var box = [1.0, 1.0, 0.0, 0.0]
    }

    var impression: Impression {
        var seen = Impression()
        for y in 0..<height {
            for x in 0..<width {
                let at = (y * width + x) * 4
                let alpha = Double(pixels[at + 3]) / 255
                let (across, down) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                seen.opacity += alpha
                seen.x += alpha * across
                seen.y += alpha * down
                for channel in 0..<3 { seen.colour[channel] += alpha * Double(pixels[at + channel]) / 255 }
                if alpha > 0.125 {
                    seen.box = [
                        min(seen.box[0], across), min(seen.box[1], down), max(seen.box[2], across),
                        max(seen.box[3], down),
                    ]
                }
            }
        }
        if seen.opacity > 0 { (seen.x, seen.y) = (seen.x / seen.opacity, seen.y / seen.opacity) }
        let count = Double(width * height)
        seen.opacity /= count
        seen.colour = seen.colour.map { $0 / count }
        return seen
    }

    /// The mean difference of a picture of the same size in premultiplied colours and opacity, 0…1.
    func difference(from other: TransparentPicture) -> Double {
        var sum = 0.0
        for at in stride(from: 0, to: pixels.count, by: 4) {
            let (a, b) = (Double(pixels[at + 3]), Double(other.pixels[at + 3]))
            sum += abs(a - b)
            for channel in 0..<3 {
                sum += abs(a * Double(pixels[at + channel]) - b * Double(other.pixels[at + channel])) / 255
            }
        }
        return sum / Double(pixels.count) / 255
    }
}

/// The page of the browser source, in Chromium.
enum OverlayPage {
    /// Holds when the page can draw all effects.
    static let isReady = "typeof overlay !== 'undefined' && overlay?.library.isComplete"

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

    /// An effect alone at a time, as the page draws it.
    ///
    /// - Parameter effect: the line of the event `effectStarted`.
    static func still(
        _ browser: Chromium, of effect: String, at time: Double, width: Int, height: Int, in bench: Workbench
    ) async throws -> TransparentPicture {
        let script = """
            (() => {
              const effect = \(effect);
              const instance = new EffectInstance(overlay.library.effects[effect.reactionType], effect, overlay.library.seed);
              overlay.draw([instance], () => \(time));
              return overlay.canvas.element.toDataURL('image/png').split(',')[1];
            })()
            """
        let bytes = try #require(try await browser.evaluate(script).string.flatMap { Data(base64Encoded: $0) })
        return try await .decode(bytes, width: width, height: height, in: bench)
    }
}
