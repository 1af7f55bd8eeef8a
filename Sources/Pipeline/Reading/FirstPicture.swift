import MediaIO

/// The picture with which what a run reads begins: what can be tried with it need not wait for the others.
enum FirstPicture {
    /// - Parameter demuxer: from which nothing was read yet; it is not good for more.
    /// - Returns: `nil` where no picture can be decoded.
    /// - Throws: `MediaError`.
    static func decode(of demuxer: Demuxer, pool: FramePool) throws(MediaError) -> VideoFrame? {
        let decoder = try VideoDecoder(demuxer, threads: 1, pool: pool)
        while let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            try decoder.send(packet)
            if let frame = try decoder.receive() { return frame }
        }
        try decoder.finish()
        return try decoder.receive()
    }
}
