import CFlourish
import Flourish

/// The planes of a pixel format.
struct PlaneLayout: Sendable {
    /// FFmpeg's name of the format.
    let formatName: String
    /// The format's name in messages.
    let name: String
    /// The bytes of a row of each plane.
    let rowBytes: [Int]

    /// - Throws: ``CallFailure`` for an unknown format.
    init(_ format: flourish_pixel_format, width: Int) throws(CallFailure) {
        let half = (width + 1) / 2
        switch format {
        case FLOURISH_NV12: (formatName, name, rowBytes) = ("nv12", "NV12", [width, 2 * half])
        case FLOURISH_I420: (formatName, name, rowBytes) = ("yuv420p", "I420", [width, half, half])
        case FLOURISH_BGRX: (formatName, name, rowBytes) = ("bgr0", "BGRX", [4 * width])
        case FLOURISH_RGBA: (formatName, name, rowBytes) = ("rgba", "RGBA", [4 * width])
        case FLOURISH_BGR: (formatName, name, rowBytes) = ("bgr24", "BGR", [3 * width])
        case FLOURISH_RGB: (formatName, name, rowBytes) = ("rgb24", "RGB", [3 * width])
        default:
            throw .argument("\(format.rawValue) is not a pixel format; use one of flourish_pixel_format")
        }
    }

    /// Returns the planes at the host's addresses.
    ///
    /// - Throws: ``CallFailure`` for a missing address, or a stride that is smaller than a row.
    @unsafe
    func planes(
        _ addresses: UnsafePointer<UnsafeMutablePointer<UInt8>?>?, strides: UnsafePointer<Int32>?
    ) throws(CallFailure) -> [PixelPlane] {
        guard let addresses = unsafe addresses, let strides = unsafe strides else {
            throw .argument("planes or strides is NULL; a frame in \(name) needs both")
        }
        var planes: [PixelPlane] = unsafe []
        for (index, bytes) in rowBytes.enumerated() {
            guard let address = unsafe addresses[index] else {
                throw .argument("planes[\(index)] is NULL; a frame in \(name) has \(rowBytes.count) planes")
            }
            let stride = unsafe Int(strides[index])
            guard stride >= bytes else {
                throw .argument("strides[\(index)] is \(stride), but a row of the plane has \(bytes) bytes")
            }
            unsafe planes.append(PixelPlane(address: address, bytesPerRow: stride))
        }
        return unsafe planes
    }
}
