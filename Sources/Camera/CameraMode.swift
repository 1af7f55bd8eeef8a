internal import CPipeWire

/// The pixel formats of cameras. The raw values are those of CPipeWire.
public enum CameraFormat: Int32, Sendable, Hashable, CaseIterable {
    case i420 = 1
    case nv12, yuy2, uyvy, bgrx, rgb
    /// Each picture is a JPEG file.
    case mjpg

    /// FFmpeg's name of the pixel format; `nil` for JPEG files.
    var pixelFormat: String? {
        switch self {
        case .i420: "yuv420p"
        case .nv12: "nv12"
        case .yuy2: "yuyv422"
        case .uyvy: "uyvy422"
        case .bgrx: "bgr0"
        case .rgb: "rgb24"
        case .mjpg: nil
        }
    }

    /// The formats that the camera "Flourish" offers, the cheapest to produce first.
    static let offered: [CameraFormat] = [.i420, .nv12, .yuy2, .bgrx]
}

/// Pictures of one size, rate and format.
public struct CameraMode: Sendable, Hashable, CustomStringConvertible {
    public var format: CameraFormat
    /// The size in pixels.
    public var width: Int
    public var height: Int
    /// Pictures a second; 0 if the rate varies.
    public var rate: Double

    public init(_ format: CameraFormat, width: Int, height: Int, rate: Double) {
        self.format = format
        self.width = width
        self.height = height
        self.rate = rate
    }

    public var description: String { "\(width)×\(height) at \(rate.rounded() == rate ? "\(Int(rate))" : "\(rate)")" }

    /// Returns the mode that serves pictures of a size and rate best.
    ///
    /// In this order: the rate is reached; the size is reached without more than twice its pixels; the size is close; the format needs no
    /// decoding. Many cameras reach 30 pictures a second at 1280×720 with JPEG only.
    static func best(of modes: [CameraMode], for wish: CameraMode) -> CameraMode? {
        func cost(_ mode: CameraMode) -> Double {
            let pixels = Double(mode.width * mode.height) / Double(max(wish.width * wish.height, 1))
            var cost = abs(pixels.logarithm) * 10
            if pixels < 0.99 { cost += 20 }
            if mode.rate > 0, mode.rate < wish.rate * 0.9 { cost += 60 * (1 - mode.rate / wish.rate) }
            if mode.rate > wish.rate * 1.1 { cost += 1 }
            if mode.format == .mjpg { cost += 2 }
            return cost
        }
        // The first of equal modes: cameras list their preferred ones first.
        return modes.min { cost($0) < cost($1) }
    }
}

extension Double {
    fileprivate var logarithm: Double {
        // Doubling steps suffice for a comparison of sizes.
        var (value, result) = (self, 0.0)
        guard value > 0 else { return 64 }
        while value >= 2 { (value, result) = (value / 2, result + 1) }
        while value < 1 { (value, result) = (value * 2, result - 1) }
        return result + (value - 1)
    }
}

extension CameraMode {
    /// `nil` for a format that is not read.
    init?(_ mode: cpw_mode) {
        guard let format = CameraFormat(rawValue: mode.format.rawValue), mode.width > 0, mode.height > 0 else {
            return nil
        }
        self.init(
            format, width: Int(mode.width), height: Int(mode.height),
            rate: Double(mode.rate_numerator) / Double(max(mode.rate_denominator, 1)))
    }

    /// The rate as a fraction. Cameras name rates such as 30000/1001.
    var fraction: (numerator: UInt32, denominator: UInt32) {
        rate.rounded() == rate ? (UInt32(rate), 1) : (UInt32((rate * 1001).rounded()), 1001)
    }

    var pipeWire: cpw_mode {
        let (numerator, denominator) = fraction
        return cpw_mode(
            format: cpw_format(rawValue: format.rawValue), width: Int32(width), height: Int32(height),
            rate_numerator: numerator, rate_denominator: denominator)
    }
}

/// A camera that PipeWire lists.
public struct CameraDevice: Sendable, Hashable {
    /// PipeWire's number; another one each time the camera is plugged in.
    public var id: UInt32
    /// The unique name of the node.
    public var name: String
    /// The name for people.
    public var title: String
    public var modes: [CameraMode]
    /// True if Flourish offers the camera.
    public var isOffered = false
    /// The path of the device, such as `/dev/video0`; `nil` for cameras that are no device of Video4Linux.
    public var path: String?

    /// Returns whether an argument of the command line names this camera: by its node's name, its device's path, or a
    /// part of its title.
    func matches(_ argument: String) -> Bool {
        name == argument || path == argument || title.lowercased().contains(argument.lowercased())
    }
}
