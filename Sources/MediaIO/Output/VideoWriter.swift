/// Encodes frames and writes what comes out.
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

    private func send(_ frame: consuming VideoFrame) throws(MediaError) {
        try encoder.send(frame)
        if !muxer.hasBegun { try muxer.begin(encoder.header()) }
    }

    private func drain() throws(MediaError) {
        while let packet = try encoder.receive() { try muxer.write(packet) }
    }
}
