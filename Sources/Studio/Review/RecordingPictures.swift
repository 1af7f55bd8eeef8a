import MediaIO
package import Pipeline
import Raster
package import Reactions
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

/// Decodes single pictures of a recording, at any time.
///
/// Used by one thread at a time.
final class PictureReader {
    private let source: FrameSource

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration, threads: Int = 1) throws {
        source = try FrameSource(
            input, InputSettings(configuration, address: input), threads: threads, readsVideoOnly: true)
    }

    /// The offsets in seconds by which the reader seeks before a time, one after the other, until it finds a picture that
    /// is not later than the time.
    /// Containers without an index, such as MPEG-TS, seek to any picture, and decoding begins at the next key frame.
    private static let searchDistances = [0, 1, 4, 16, 64, 256.0]
    /// The tolerance for time stamps that are rounded to milliseconds, in seconds.
    private static let rounding = 0.0005

    /// Returns the last key frame at or before a time, or the first one there is.
    ///
    /// - Returns: `nil` if the recording has none, or is not seekable.
    func entry(before time: Double) throws -> VideoFrame? {
        try nearest(to: time) { try entry() }
    }

    /// Returns the picture shown at a time. If the time is before all pictures, it is the first picture.
    ///
    /// - Returns: `nil` if the recording is not seekable, or has no picture there.
    func frame(at time: Double) throws -> VideoFrame? {
        try nearest(to: time) { try frame(until: time + Self.rounding) }
    }

    /// Seeks to a time, and reads a picture with `read`. If the picture is later than the time, repeats this from
    /// earlier and earlier times.
    private func nearest(to time: Double, _ read: () throws -> VideoFrame?) throws -> VideoFrame? {
        var later: VideoFrame?
        for distance in Self.searchDistances {
            guard source.seek(to: MediaTime(seconds: time - distance)) else { break }
            guard let frame = try read() else { continue }
            if frame.time.seconds <= time + Self.rounding { return frame }
            later = consume frame
        }
        return later.take()
    }

    /// Returns the next picture from which decoding can begin.
    private func entry() throws -> VideoFrame? {
        while let packet = try source.demuxer.readVideoPacket() {
            // The decoder gets this packet alone, so it does not wait for further ones.
            let only = QueuedPacket(packet)
            if let frame = try source.next({ only.packet.take() }) { return frame }
            source.restart()
        }
        return nil
    }

    /// Reads on to the last picture whose time stamp is at most `limit`, and returns it; if there is none, returns the
    /// next picture.
    private func frame(until limit: Double) throws -> VideoFrame? {
        var shown: VideoFrame?
        while let frame = try source.next() {
            if frame.time.seconds > limit {
                if let shown = shown.take() { return shown }
                return frame
            }
            shown = consume frame
        }
        return shown.take()
    }
}

/// Decodes single pictures of a recording under review, and detects hands in them.
///
/// Used by one thread at a time.
final class CloseReader {
    private let reader: PictureReader
    private let configuration: Configuration
    /// Loads the models; created for the first inspection.
    private var analyser: HandAnalyser?
    /// The last picture, kept because a caller may request its inspection next.
    private var last: (time: Double, picture: SharedPicture)?

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration) throws {
        reader = try PictureReader(input, configuration, threads: 2)
        self.configuration = configuration
    }

    /// Lends the picture shown at a time.
    /// - Returns: `nil` if there is none.
    func withFrame<Value>(at time: Double, _ body: (borrowing VideoFrame) throws -> Value) throws -> Value? {
        if let last, last.time == time { return try body(last.picture.frame) }
        guard let frame = try reader.frame(at: time) else { return nil }
        let picture = SharedPicture(frame)
        last = (time, picture)
        return try body(picture.frame)
    }

    /// Returns the inspection of the picture.
    func inspection(at time: Double) throws -> FrameInspection? {
        let analyser =
            try self.analyser
            ?? HandAnalyser(resources: configuration.resources ?? .located(), configuration: configuration)
        self.analyser = analyser
        return try withFrame(at: time) { frame in
            analyser.reset()
            return FrameInspection(try analyser.analyseStill(frame), time: time, isStill: true)
        }
    }
}
