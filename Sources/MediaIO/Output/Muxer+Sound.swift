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

    /// Has the header of Matroska that is written as a stream tell what its sound is: in a file that is mended later.
    ///
    /// - Parameter waiting: packets of the source that came already.
    /// - throws: ``MediaError`` of the code `unsupportedInContainer` where none of them tells.
    func describeSound(_ waiting: [QueuedPacket]) throws(MediaError) {
        guard container == .matroska, sink.isStream else { return }
        for place in undescribedSound {
            guard let header = Self.header(ofSoundAt: place, places, waiting) else {
                throw MediaError(
                    .unsupportedInContainer, file: path,
                    "\(path): Matroska that cannot be gone back in must say at its beginning what its AAC is, and no sound "
                        + "came yet; choose nut or mpegts (--output-format)")
            }
            unsafe try setConfiguration(
                header.configuration, of: context.pointee.streams[place]!.pointee.codecpar!)
        }
    }

    private static func header(
        ofSoundAt place: Int, _ places: [Int: Int], _ waiting: [QueuedPacket]
    ) -> ADTSHeader? {
        for queued in waiting {
            guard let packet = queued.packet.take() else { continue }
            let header = places[packet.streamIndex] == place ? ADTSHeader(packet.bytes.prefix(4)) : nil
            queued.packet = consume packet
            if let header { return header }
        }
        return nil
    }
}
