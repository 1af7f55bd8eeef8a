package import MediaIO
import Platform
import Reactions

/// An opened input that decodes the frames of its video.
///
/// Every component that decodes an input uses this type. Frames are read in display order (``next()``); after
/// ``seek(to:)``, reading continues at another position.
///
/// Used by one thread at a time.
package final class FrameSource: @unchecked Sendable {
    package let demuxer: Demuxer
    package let decoder: VideoDecoder
    private var loop: DecodingLoop

    /// - Parameters:
    ///   - threads: The number of FFmpeg's decoding threads; 0 for one per core.
    ///   - readsVideoOnly: Whether packets of other streams are skipped.
    /// - Throws: The errors of opening a `Demuxer` and a `VideoDecoder`.
    package init(
        _ input: String, _ settings: InputSettings, threads: Int = 0, isLowDelay: Bool = false,
        readsVideoOnly: Bool = false, interrupt: InterruptFlag? = nil, pool: FramePool = FramePool()
    ) throws(MediaError) {
        demuxer = try Demuxer(path: input, settings: settings, interrupt: interrupt)
        decoder = try VideoDecoder(demuxer, threads: threads, options: isLowDelay ? .lowDelay : [], pool: pool)
        loop = DecodingLoop(decoder)
        if readsVideoOnly { demuxer.readOnly(stream: demuxer.video.index) }
    }

    /// Returns the next frame; `nil` after the last one.
    ///
    /// - Throws: `MediaError`.
    package func next() throws -> VideoFrame? { try loop.next { try demuxer.readVideoPacket() } }

    /// Returns the next frame, decoded from packets that the closure returns; see ``DecodingLoop/next(_:)``.
    package func next(_ packet: () throws -> Packet?) throws -> VideoFrame? { try loop.next(packet) }

    /// Discards the decoder's state, so that decoding can continue with any other packet.
    package func restart() { loop.restart() }

    /// Seeks to a time on the input's clock. Damage found before is discarded.
    ///
    /// - Returns: `false` if the container does not support seeking.
    package func seek(to time: MediaTime) -> Bool {
        guard demuxer.seek(to: time) else { return false }
        loop.leap()
        _ = decoder.dequeueDamage()
        return true
    }
}

extension Demuxer {
    /// Opens an input as configured, without decoding it.
    ///
    /// - Throws: The errors of opening a `Demuxer`.
    package static func open(
        _ input: String, _ configuration: Configuration, interrupt: InterruptFlag? = nil
    ) throws(MediaError) -> Demuxer {
        try Demuxer(path: input, settings: InputSettings(configuration, address: input), interrupt: interrupt)
    }
}

extension Demuxer {
    /// The warning about an input with several videos, of which one is filtered.
    package var choiceWarnings: [PipelineWarning] {
        let count = streams.count { $0.kind == .video && !$0.isAttachedPicture }
        guard count > 1 else { return [] }
        return [
            PipelineWarning(
                code: .videoChosen,
                message:
                    "the input has \(count) videos: only stream \(video.index) (\(video.codec), \(video.width)×\(video.height)) is filtered"
            )
        ]
    }
}

extension InputSettings {
    /// The settings that the configuration requests.
    ///
    /// - Parameter stalled: called if a pipe or the network delivers no data for a while.
    package init(_ configuration: Configuration, address: String, stalled: (@Sendable () -> Void)? = nil) {
        self.init()
        let options = configuration.input
        isLowDelay = configuration.isLive
        format = options.format
        maxPixels = options.maxPixels
        decoders = AllowedDecoders(rawValue: options.decoders.rawValue) ?? .recordings
        videoSize = options.videoSize
        pixelFormat = options.pixelFormat
        frameRate = options.frameRate
        trim = options.trim
        // Only the network has a time-out. The writer of a pipe may be slow, but exists as long as the pipe is open.
        if let stalled { stall = StallWarning(after: options.stallAfter, emit: stalled) }
        if case .network = MediaAddress(address) { timeout = options.timeout }
    }
}

/// Properties of a recording's file that are known without opening it.
package enum RecordedFile {
    /// Returns the input's size in bytes; `nil` for an input that is not a regular file, and therefore cannot be read
    /// twice.
    package static func size(of input: String) -> Int? {
        guard let path = MediaAddress(input).filePath else { return nil }
        // The size of a missing file is 0; the error is reported when the file is opened.
        guard FileKind.of(path) != nil else { return 0 }
        return FileKind.size(of: path)
    }

    /// Returns the input's name without its folders.
    package static func name(of input: String) -> Substring {
        input.lastIndex(of: "/").map { input[input.index(after: $0)...] } ?? input[...]
    }
}
