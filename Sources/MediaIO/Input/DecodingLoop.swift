/// Feeds packets to a decoder and returns its frames.
///
/// ``next(_:)`` pulls packets when a frame is requested, and ``push(_:_:)`` accepts packets as they arrive. All
/// decoding in the program uses one of these functions, except in a demuxer, which decodes up to the first picture when
/// it opens.
///
/// ```swift
/// var loop = DecodingLoop(try VideoDecoder(demuxer))
/// while let frame = try loop.next({ try demuxer.readVideoPacket() }) { show(frame) }
/// ```
package struct DecodingLoop {
    package let decoder: VideoDecoder
    private var hasEnded = false

    package init(_ decoder: VideoDecoder) { self.decoder = decoder }

    /// Returns the next frame in presentation order.
    ///
    /// - Parameter packet: Returns the next packet of the video, or `nil` if no packet follows. After it has returned
    ///   `nil`, it is not called until ``restart()`` or ``leap()``.
    /// - Returns: `nil` if all frames were returned.
    /// - Throws: The errors of `packet`, and ``MediaError`` of the code `internal` if there is no memory.
    package mutating func next(_ packet: () throws -> Packet?) throws -> VideoFrame? {
        while true {
            if let frame = try decoder.receive() { return frame }
            if hasEnded { return nil }
            if let packet = try packet() {
                try decoder.send(packet)
            } else {
                try decoder.finish()
                hasEnded = true
            }
        }
    }

    /// Decodes a packet, and passes on all frames that it completes.
    ///
    /// - Throws: The errors of ``next(_:)`` and of `body`.
    package func push(_ packet: borrowing Packet, _ body: (consuming VideoFrame) throws -> Void) throws {
        try decoder.send(packet)
        try drain(body)
    }

    /// Passes on all remaining frames after the last packet.
    ///
    /// - Throws: As ``push(_:_:)``.
    package func finish(_ body: (consuming VideoFrame) throws -> Void) throws {
        try decoder.finish()
        try drain(body)
    }

    private func drain(_ body: (consuming VideoFrame) throws -> Void) throws {
        while let frame = try decoder.receive() { try body(frame) }
    }

    /// Drops the decoder's packets, so that decoding can continue with a later key frame.
    package mutating func restart() {
        decoder.restart()
        hasEnded = false
    }

    /// Drops the decoder's packets and the last frame's time, so that decoding can continue after a seek.
    package mutating func leap() {
        decoder.leap()
        hasEnded = false
    }
}

extension Demuxer {
    /// Reads the next packet of the video, and skips packets of other streams.
    ///
    /// - Returns: `nil` at the end.
    /// - throws: As ``readPacket()``.
    package func readVideoPacket() throws(MediaError) -> Packet? {
        while let packet = try readPacket() {
            if packet.streamIndex == video.index { return packet }
        }
        return nil
    }
}
