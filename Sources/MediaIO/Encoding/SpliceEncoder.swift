internal import CFFmpeg

/// Codes a stretch of frames so that its packets can stand between those of the source.
///
/// The first packet is an IDR picture with a closed group of pictures. Used by one thread at a time; several
/// encoders may run beside each other, and none depends on another.
package final class SpliceEncoder: @unchecked Sendable {
    package let encoder: VideoEncoder
    private let codec: SpliceCodec
    private let framing: NALFraming
    private let setID: Int
    private let sequenceHeader: [UInt8]?
    /// Whether parameter sets stand before each entry, as where a stream has no header.
    private let repeatsSets: Bool

    /// - Parameters:
    ///   - settings: what is asked for; codec, threads and what fits it into the stream are set here.
    ///   - source: whose packets it stands between.
    package init(
        _ coding: SplicedCoding, settings: VideoEncoderSettings, source: Demuxer, codec: SpliceCodec,
        container: ContainerFormat, path: String, pool: FramePool
    ) {
        var settings = settings
        settings.spliced = coding
        // Pictures next to a seam are finer than others.
        settings.usesRegions = codec.hasUnits
        // The result must not depend on the machine, and it does on the number of threads.
        settings.threads = SplicedCoding.threads
        switch codec {
        case .h264: settings.codec = .h264
        case .hevc: settings.codec = .hevc
        case .vp9: settings.codec = .vp9
        case .vp8:
            settings.encoderName = "libvpx"
            // Its threads may wait for each other for ever at the end of a small video (seen with libvpx 1.12).
            settings.threads = 1
        case .av1:
            settings.codec = .av1
            settings.encoderName = "libaom-av1"
            settings.preset = coding.preset
        case .intra(let name): settings.encoderName = name
        }
        self.codec = codec
        setID = coding.setID
        sequenceHeader = coding.sequenceHeader
        framing = source.videoFraming
        repeatsSets = framing == .startCodes && !container.wantsGlobalHeader
        encoder = VideoEncoder(settings: settings, source: source.video, container: container, path: path, pool: pool)
    }

    /// The parameter sets that its packets refer to; empty for codecs without, and before the first frame was sent.
    var sets: [ParameterSet] {
        guard codec.hasUnits, let context = unsafe encoder.context, unsafe context.pointee.extradata_size > 0 else {
            return []
        }
        let bytes = unsafe Array(
            UnsafeBufferPointer(
                start: context.pointee.extradata, count: Int(context.pointee.extradata_size)))
        let isHEVC = codec == .hevc
        return NALFraming.startCodes.units(of: bytes)
            .map { isHEVC ? HEVCSetIDs.renumbered(Array($0), picture: setID) : Array($0) }
            .compactMap { ParameterSet($0[...], isHEVC: isHEVC) }
    }

    /// Whether its parameter sets are those of another.
    package func hasSets(of other: SpliceEncoder?) -> Bool { other.map { $0.sets == sets } ?? true }

    /// Whether it codes a picture so that the result can stand between the source's packets. It can code no others then.
    /// - Throws: ``MediaError`` where it does not take such pictures.
    package func fits(_ sample: borrowing VideoFrame) throws(MediaError) -> Bool {
        try encoder.send(try sample.shared())
        try encoder.finish()
        guard let packet = try encoder.receive() else { return false }
        return fits(packet)
    }

    /// Whether a packet that it made can stand between those of the source: AV1 has one sequence header for all.
    package func fits(_ packet: borrowing Packet) -> Bool {
        guard codec == .av1, let header = packet.withBytes({ AV1Packet($0).sequenceHeader }) else { return true }
        return header == sequenceHeader
    }

    /// A packet as it stands in the stream.
    ///
    /// - Parameter messages: what the source's pictures say, which this one says again.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package func finished(
        _ packet: consuming Packet, carrying messages: CarriedMessages? = nil
    ) throws(MediaError) -> Packet {
        guard codec.hasUnits else { return packet }
        let isHEVC = codec == .hevc
        var units = NALFraming.startCodes.units(of: packet.bytes).map { Array($0) }.filter { unit in
            let kind = NALUnit.kind(ofHeader: unit[0], isHEVC: isHEVC)
            if case .parameterSet = kind { return false }
            return kind != .sei || !SEIMessage.messages(in: unit[...], isHEVC: isHEVC).contains(where: \.isSignature)
        }
        if isHEVC { units = units.map { HEVCSetIDs.renumbered($0, picture: setID) } }
        let begins = units.contains { NALUnit.kind(ofHeader: $0[0], isHEVC: isHEVC) == .entry }
        if let messages, let time = packet.presentationTime {
            units = messages.added(to: units, at: time, isEntry: begins)
        }
        if repeatsSets, begins { units = sets.map(\.unit) + units }
        return try packet.replacing(framing.joined(units))
    }
}
