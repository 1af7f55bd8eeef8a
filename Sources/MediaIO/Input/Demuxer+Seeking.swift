/// The parts of a recording, and the origin of its times: the presentation time of its first picture.
///
/// FFmpeg reports the presentation time of the first packet. The first picture that can be decoded may be later: if a
/// capture begins within a group of pictures, or if its packets have no presentation times. Photographs, parts, plans
/// and events all count from the start of ``video``.
extension Demuxer {
    /// Restricts all further reading to a part of the recording.
    func cut(_ trim: TrimRange) throws(MediaError) {
        let begin = (video.startTime ?? startTime ?? .zero) + MediaTime(seconds: trim.start)
        // Only a file's duration is compared, since a pipe may state only the duration of its first part.
        if file != nil, let duration, trim.start > 0, trim.start >= duration.seconds {
            throw MediaError(
                .invalidSettings, file: path,
                "\(path): the start, \(Self.text(trim.start)) s, is after the end of the video, \(Self.text(duration.seconds)) s"
            )
        }
        if trim.start > 0, file != nil {
            // Reading begins at a key frame some time before, if the container has an index of key frames; otherwise,
            // everything is read.
            if ["mov", "matroska"].contains(where: formatName.hasPrefix) {
                _ = seekInput(to: begin - (shift ?? .zero) - MediaTime(seconds: trim.preroll))
            }
        }
        shift = (shift ?? .zero) - begin
        trimFilter = TrimFilter(trim, streams: streams, video: video.index)
        startTime = .zero
        video.startTime = .zero
        let rest = duration.map { $0 - MediaTime(seconds: trim.start) }.flatMap { $0 > .zero ? $0 : nil }
        duration = [trim.length, rest].compactMap(\.self).min()
        video.duration = duration
    }

    /// Reads up to the start of the trim range.
    ///
    /// - Returns: The presentation time of the picture on screen at the start, counted from the start. It is nil if
    ///   there is no picture, or if the file does not state presentation times.
    package func readOpening() throws(MediaError) -> MediaTime? {
        var opening: MediaTime?
        while let packet = try readPacket() {
            guard packet.streamIndex == video.index, let time = packet.presentationTime else { continue }
            // Pictures that are decoded after the start are also shown after the start.
            let decoding = packet.decodingTime?.seconds ?? time.seconds - Self.maximumReordering
            if decoding > TrimRange.rounding { break }
            guard time.seconds <= TrimRange.rounding, !packet.isHidden else { continue }
            opening = opening.map { max($0, time) } ?? time
        }
        return opening
    }

    /// The assumed difference in seconds between a picture's presentation and decoding times, if the file does not
    /// state the latter.
    private static let maximumReordering = 2.0

    /// True if the clock of the recording leaps forward midway. Determining it reads all packets once.
    var hasForwardLeaps: Bool {
        guard leaps != nil else { return false }
        if let known = knownLeaps { return known }
        var settings = limits
        settings.file = file
        let whole = try? Demuxer(path: path, settings: settings)
        while !watch.mustEnd, let packet = try? whole?.readPacket() { _ = packet.size }
        let found = whole?.closedGaps.isEmpty == false
        knownLeaps = found
        return found
    }

    /// The maximum number of bytes that are read in search of the first picture, and queued.
    private static let maximumBytes = 64 << 20
    /// The maximum number of packets that are queued, regardless of their size.
    private static let maximumPackets = 20_000

    /// Sets the video's start to the first shown picture. Packets that are read to find it are queued.
    ///
    /// - throws: ``MediaError``, as ``readPacket()`` does.
    func findOrigin() throws(MediaError) {
        guard !isStillImage else { return }
        var decoder: VideoDecoder?
        var bytes = 0
        // The packets that were queued while waiting for sound come first.
        var kept = early
        early = []
        defer { early += kept }
        while bytes < Self.maximumBytes, early.count < Self.maximumPackets {
            let next = kept.isEmpty ? try readNext() : kept.removeFirst().packet.take()
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
                    // If the codec or the container has a fault, the caller meets it again and reports it.
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

    /// Returns whether the start of ``video`` is right according to the video's first packet: its picture is shown at
    /// that time, or an edit list hides it.
    private func beginsVideo(_ packet: borrowing Packet) -> Bool {
        if packet.isHidden { return true }
        guard packet.isKeyFrame, let time = packet.presentationTime, let start = video.startTime else { return false }
        return time + (shift ?? .zero) == start
    }

    /// Returns whether the picture of a packet precedes the start of ``video``.
    func isLeading(_ packet: borrowing Packet) -> Bool {
        guard packet.streamIndex == video.index, !packet.isHidden, packet.size > 0, trim?.start ?? 0 == 0,
            let time = packet.presentationTime, let start = video.startTime
        else { return false }
        return time < start
    }

    /// Sets the video's start to a decoder's first picture.
    ///
    /// - Returns: true if there is one.
    private func start(_ decoder: VideoDecoder) throws(MediaError) -> Bool {
        guard let frame = try decoder.receive() else { return false }
        video.startTime = frame.time + (shift ?? .zero)
        return true
    }
}
