/// Encodes frames and hands on what comes out: the one loop in which an encoder feeds a muxer.
///
/// The first frame opens the encoder and begins the file. Used by one thread at a time.
package struct VideoWriter: Sendable {
    package let encoder: VideoEncoder
    package let muxer: Muxer

    package init(encoder: VideoEncoder, muxer: Muxer) {
        self.encoder = encoder
        self.muxer = muxer
    }

    /// Encodes a frame, and writes what the encoder has ready.
    package func write(_ frame: consuming VideoFrame) throws(MediaError) {
        try send(frame)
        try drain()
    }

    /// Writes what the encoder still has.
    package func finish() throws(MediaError) {
        try encoder.finish()
        try drain()
    }

    /// Encodes a frame; ``drain(_:)`` gives what comes of it.
    package func send(_ frame: consuming VideoFrame) throws(MediaError) {
        try encoder.send(frame)
        if !muxer.hasBegun { try muxer.begin(encoder) }
    }

    /// Hands on the packets that the encoder has ready.
    ///
    /// - Parameter take: says whether more are wanted.
    /// - Returns: whether more are wanted.
    package func drain(_ take: (consuming Packet) -> Bool) throws(MediaError) -> Bool {
        while let packet = try encoder.receive() {
            guard take(packet) else { return false }
        }
        return true
    }

    private func drain() throws(MediaError) {
        while let packet = try encoder.receive() { try muxer.write(packet) }
    }
}
