/// Feeds packets to a decoder and returns its frames.
///
/// ``next(_:)`` pulls packets as frames are wanted, and ``push(_:_:)`` takes packets as they come. All decoding goes through
/// one of them, except where a demuxer that opens decodes up to the first picture.
///
/// ```swift
/// var loop = DecodingLoop(try VideoDecoder(demuxer))
/// while let frame = try loop.next({ try demuxer.readVideoPacket() }) { show(frame) }
/// ```
package struct DecodingLoop {
    package let decoder: VideoDecoder
    private var hasEnded = false

    package init(_ decoder: VideoDecoder) { self.decoder = decoder }

    /// Returns the next frame in the order in which frames are shown.
    ///
    /// - Parameter packet: Returns the next packet of the video, or `nil` where no packet follows. It is not called again
    ///   after that, until ``restart()`` or ``leap()``.
    /// - Returns: `nil` where all frames were returned.
    /// - Throws: What `packet` throws, and ``MediaError`` of the code `internal` where there is no memory.
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

    /// Decodes a packet, and hands on all frames that it completes.
    ///
    /// - Throws: As ``next(_:)``, and what `body` throws.
    package func push(_ packet: borrowing Packet, _ body: (consuming VideoFrame) throws -> Void) throws {
        try decoder.send(packet)
        try drain(body)
    }

    /// Hands on all frames that are left when no packet follows.
    ///
    /// - Throws: As ``push(_:_:)``.
    package func finish(_ body: (consuming VideoFrame) throws -> Void) throws {
        try decoder.finish()
        try drain(body)
    }

    private func drain(_ body: (consuming VideoFrame) throws -> Void) throws {
        while let frame = try decoder.receive() { try body(frame) }
    }

    /// Forgets all packets, to go on with any other.
    package mutating func restart() {
        decoder.restart()
        hasEnded = false
    }

    /// Forgets all packets and times, to go on after a seek.
    package mutating func leap() {
        decoder.leap()
        hasEnded = false
    }
}

extension Demuxer {
    /// Reads the next packet of the video, past those of other streams.
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
