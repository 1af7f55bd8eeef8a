import MediaIO
import Raster
package import Reactions
package import SessionSettings
import Synchronization

/// Pictures of a recording under review at requested times: thumbnails for a strip, and single frames with their
/// inspections. Readers stay open, and the last pictures are cached.
///
/// All functions block, and serve one caller at a time.
package final class RecordingPictures: Sendable {
    private let input: String
    private let configuration: Configuration
    private let thumbnails = Mutex(PictureCache(maximum: 600))
    private let frames = Mutex(PictureCache(maximum: 24))
    /// The reader of thumbnails; opened on first use.
    private let strip: Mutex<PictureReader?> = Mutex(nil)
    /// The reader of single frames and inspections; opened on first use.
    private let close: Mutex<CloseReader?> = Mutex(nil)

    package init(of input: String, _ configuration: Configuration) {
        self.input = input
        self.configuration = configuration
    }

    /// Returns the last key frame before a time as JPEG. The call is cheap for any time, because only one frame is
    /// decoded.
    ///
    /// - Parameters:
    ///   - time: The seconds on the recording's clock.
    ///   - height: The height in pixels.
    /// - Returns: `nil` if there is none.
    /// - Throws: ``FlourishError``.
    package func thumbnail(at time: Double, height: Int) throws(FlourishError) -> [UInt8]? {
        let key = PictureKey(time: time, height: height)
        if let known = thumbnails.withLock({ $0[key] }) { return known }
        let jpeg = try strip.withLock { reader throws(FlourishError) in
            try Self.read(&reader, { try PictureReader(input, configuration) }) { reader in
                try reader.entry(before: time)?.jpegBytes(height: height)
            }
        }
        if let jpeg { thumbnails.withLock { $0[key] = jpeg } }
        return jpeg
    }

    /// Returns the picture shown at a time, as JPEG.
    ///
    /// - Parameters:
    ///   - time: The seconds on the recording's clock.
    ///   - height: The height in pixels; a smaller picture is not enlarged.
    /// - Returns: `nil` if there is none.
    /// - Throws: ``FlourishError``.
    package func frame(at time: Double, height: Int) throws(FlourishError) -> [UInt8]? {
        let key = PictureKey(time: time, height: height)
        if let known = frames.withLock({ $0[key] }) { return known }
        let jpeg = try close.withLock { reader throws(FlourishError) in
            try Self.read(&reader, { try CloseReader(input, configuration) }) { reader in
                try reader.withFrame(at: time) { frame in
                    try frame.jpegBytes(height: min(height, Int(frame.geometry.uprightHeight.rounded())))
                }
            }
        }
        if let jpeg { frames.withLock { $0[key] = jpeg } }
        return jpeg
    }

    /// Returns the inspection of the picture shown at a time, analysed as a single picture.
    ///
    /// - Parameter time: The seconds on the recording's clock.
    /// - Returns: `nil` if there is no picture.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/unavailable`` if models are missing.
    package func inspection(at time: Double) throws(FlourishError) -> FrameInspection? {
        try close.withLock { reader throws(FlourishError) in
            try Self.read(&reader, { try CloseReader(input, configuration) }) { reader in
                try reader.inspection(at: time)
            }
        }
    }

    /// Opens a reader if necessary, and reads. A reader that fails is opened again the next time.
    private static func read<Reader, Value>(
        _ reader: inout Reader?, _ open: () throws -> Reader, _ body: (Reader) throws -> Value
    ) throws(FlourishError) -> Value {
        do {
            let opened = try reader ?? open()
            reader = opened
            return try body(opened)
        } catch {
            reader = nil
            throw FlourishError(describing: error)
        }
    }
}

/// The key of a cached picture.
private struct PictureKey: Hashable {
    /// The time in milliseconds.
    var time: Int
    var height: Int

    init(time: Double, height: Int) {
        self.time = Int((min(max(time, -1e9), 1e9) * 1000).rounded())
        self.height = height
    }
}

/// The JPEG files of recent pictures, up to a maximum number.
private struct PictureCache {
    private let maximum: Int
    private var pictures: [PictureKey: [UInt8]] = [:]
    /// The keys from the oldest on.
    private var order: [PictureKey] = []

    init(maximum: Int) { self.maximum = maximum }

    subscript(key: PictureKey) -> [UInt8]? {
        get { pictures[key] }
        set {
            if pictures.updateValue(newValue ?? [], forKey: key) == nil { order.append(key) }
            if order.count > maximum { pictures[order.removeFirst()] = nil }
        }
    }
}
