internal import CFFmpeg

/// Sound that says in each packet what a container's header is to tell.
extension Muxer {
    /// The places of streams of AAC that says in each packet what it is, as in transport streams, and of which no more is
    /// known: MP4 tells that in its header, which waits for the first packet then.
    var undescribedSound: [Int] {
        (0..<Int(unsafe context.pointee.nb_streams)).filter { place in
            let parameters = unsafe context.pointee.streams[place]!.pointee.codecpar!
            return unsafe parameters.pointee.codec_id == AV_CODEC_ID_AAC && parameters.pointee.extradata_size == 0
        }
    }

    /// Has the header of Matroska that is written as a stream tell what its sound is: of a file it is mended at the end.
    ///
    /// - Parameters:
    ///   - waiting: packets that came already.
    ///   - mayWait: whether a sound's first packet, which tells, may still come.
    /// - Returns: whether all is told.
    /// - throws: ``MediaError`` of the code `unsupportedInContainer` where none came.
    func describeSound(_ waiting: [QueuedPacket], mayWait: Bool) throws(MediaError) -> Bool {
        guard container == .matroska, sink.isStream else { return true }
        for place in undescribedSound {
            if let header = header(ofSoundAt: place, waiting) {
                unsafe try setConfiguration(
                    header.configuration, of: context.pointee.streams[place]!.pointee.codecpar!)
            } else if !mayWait {
                throw MediaError(
                    .unsupportedInContainer, file: path,
                    "\(path): Matroska that cannot be gone back in must say at its beginning what its AAC is, and no sound "
                        + "came; choose nut or mpegts (--output-format)")
            } else {
                return false
            }
        }
        return true
    }

    private func header(ofSoundAt place: Int, _ waiting: [QueuedPacket]) -> ADTSHeader? {
        for queued in waiting {
            guard let packet = queued.packet.take() else { continue }
            let header = places[packet.streamIndex] == place ? ADTSHeader(packet.bytes.prefix(4)) : nil
            queued.packet = consume packet
            if let header { return header }
        }
        return nil
    }
}
