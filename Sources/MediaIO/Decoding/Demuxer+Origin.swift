internal import CFFmpeg

/// The origin of a recording's times: the time at which its first picture is shown.
///
/// FFmpeg states when the first packet is shown. A capture that begins within a group of pictures begins later, with the first
/// picture that can be decoded; so does one whose packets do not state when their pictures are shown. Photographs, parts,
/// plans and events all count from ``video``'s start.
extension Demuxer {
    /// The most bytes that are read in search of the first picture, and kept until they are asked for.
    private static let mostBytes = 64 << 20
    /// The most packets that are kept, whatever their size.
    private static let mostPackets = 20_000

    /// Has the video start with the first picture that is shown. What is read for that is kept.
    ///
    /// - throws: ``MediaError``, as ``readPacket()`` does.
    func findOrigin() throws(MediaError) {
        guard !isStillImage else { return }
        var decoder: VideoDecoder?
        var bytes = 0
        // The packets that were read while the sound was awaited come first.
        var kept = early
        early = []
        defer { early += kept }
        while bytes < Self.mostBytes, early.count < Self.mostPackets {
            let next = kept.isEmpty ? try readOn() : kept.removeFirst().packet.take()
            guard let packet = next else {
                hasFailedEarly = true
                break
            }
            bytes += packet.size
            let isVideo = packet.streamIndex == video.index
            if isVideo {
                if decoder == nil {
                    if beginsVideo(packet) {
                        early.append(QueuedPacket(packet))
                        return
                    }
                    // An encoder's or container's fault is met again by the caller, who reports it.
                    decoder = try? VideoDecoder(self, threads: 1)
                }
                try decoder?.send(packet)
            }
            early.append(QueuedPacket(packet))
            if isVideo {
                guard let decoder, try !start(decoder) else { return }
            }
        }
        guard let decoder, hasFailedEarly else { return }
        try decoder.finish()
        _ = try start(decoder)
    }

    /// Whether the video's first packet is a picture that is shown when the video starts, or one that an edit list hides: then
    /// that states the start.
    private func beginsVideo(_ packet: borrowing Packet) -> Bool {
        if packet.isHidden { return true }
        guard packet.isKeyFrame, let time = packet.presentationTime, let start = video.startTime else { return false }
        return time + (shift ?? .zero) == start
    }

    /// Has the video start with a decoder's first picture.
    ///
    /// - Returns: true if there is one.
    private func start(_ decoder: VideoDecoder) throws(MediaError) -> Bool {
        guard let frame = try decoder.receive() else { return false }
        video.startTime = frame.time + (shift ?? .zero)
        return true
    }
}
