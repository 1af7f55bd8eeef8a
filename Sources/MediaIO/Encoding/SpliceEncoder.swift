internal import CFFmpeg
import Synchronization

/// Encodes a segment of frames so that its packets can be inserted between the source's packets.
///
/// The first packet is an IDR picture, which begins a closed group of pictures. An encoder is used by one thread at a
/// time; several independent encoders may run in parallel.
package final class SpliceEncoder: @unchecked Sendable {
    package let encoder: VideoEncoder
    private let codec: SpliceCodec
    private let framing: NALFraming
    private let setID: Int
    private let tailSetID: Int?
    /// The source's sequence parameter set, to which the second picture parameter set refers.
    private let sourceSequence: SequenceLimits?
    /// The sequence header of AV1 that packets must have; nil if it is the encoder's own.
    private let sequenceHeader: [UInt8]?
    /// True if parameter sets are repeated before each entry, as in streams without a header.
    private let repeatsSets: Bool
    /// See ``SplicedCoding/statesHeaders``.
    private let statesHeaders: Bool

    /// - Parameters:
    ///   - settings: The requested settings. Codec, threads, and everything that fits the output into the stream are
    ///     overridden.
    ///   - source: The demuxer of the surrounding packets.
    package init(
        _ coding: SplicedCoding, settings: VideoEncoderSettings, source: Demuxer, container: ContainerFormat,
        path: String, pool: FramePool
    ) {
        codec = coding.codec
        var settings = settings
        settings.spliced = coding
        // Regions are needed because pictures next to a seam are encoded at a lower QP than others.
        settings.usesRegions = codec.units != nil
        // The result depends on the number of threads, so the number must not depend on the machine.
        settings.threads = SplicedCoding.threads
        switch codec {
        case .h264:
            settings.codec = .h264
            settings.preset = coding.preset
        case .hevc: settings.codec = .hevc
        case .vp9: settings.codec = .vp9
        case .vp8:
            settings.encoderName = "libvpx"
            // libvpx 1.12 can deadlock with several threads at the end of a small video.
            settings.threads = 1
        case .av1:
            settings.codec = .av1
            settings.encoderName = "libaom-av1"
            settings.preset = coding.preset
        case .mpeg2: settings.encoderName = "mpeg2video"
        case .mpeg4:
            settings.encoderName = "mpeg4"
            // Several threads would divide pictures by markers that the header does not announce.
            settings.threads = 1
        case .intra(let name): settings.encoderName = name
        }
        setID = coding.setID
        tailSetID = coding.tailSetID
        sourceSequence = coding.limits
        sequenceHeader = coding.sequenceHeader
        framing = source.videoFraming
        statesHeaders = coding.statesHeaders
        repeatsSets = statesHeaders || framing == .startCodes && !container.wantsGlobalHeader
        encoder = VideoEncoder(settings: settings, source: source.video, container: container, path: path, pool: pool)
    }

    /// The parameter sets to which the packets refer. Empty for codecs without parameter sets, and before the first
    /// frame is sent.
    var sets: [ParameterSet] {
        let own = ownSets
        guard let sourceSequence, let coding = avcCoding(own), let set = coding.pictureSet(for: sourceSequence) else {
            return own
        }
        return own + [set]
    }

    /// The parameter sets for the header of the file; empty if packets state their own.
    var headerSets: [ParameterSet] { statesHeaders ? [] : sets }

    private func avcCoding(_ sets: [ParameterSet]) -> AVCCoding? {
        tailSetID.flatMap { AVCCoding(sets, tailSetID: $0) }
    }

    private var ownSets: [ParameterSet] {
        guard let codec = codec.units, let bytes = encoder.context?.header, !bytes.isEmpty else { return [] }
        return NALFraming.startCodes.units(of: bytes)
            .map { codec == .hevc ? HEVCSetIDs.renumbered(Array($0), picture: setID) : Array($0) }
            .compactMap { ParameterSet($0[...], codec: codec) }
    }

    /// Returns whether the parameter sets equal those of another encoder; true if there is no other.
    package func hasSets(of other: SpliceEncoder?) -> Bool { other.map { $0.sets == sets } ?? true }

    /// Encodes a sample picture, and returns whether its packet can be inserted between the source's packets. The
    /// encoder cannot be used for other pictures afterwards.
    /// - Throws: ``MediaError`` if the encoder does not accept such pictures.
    package func fits(_ sample: borrowing VideoFrame) throws(MediaError) -> Bool {
        try encoder.send(try sample.shared())
        try encoder.finish()
        guard let packet = try encoder.receive() else { return false }
        return fits(packet)
    }

    /// Returns whether a packet of this encoder can be inserted between the source's packets.
    package func fits(_ packet: borrowing Packet) -> Bool {
        guard let sequenceHeader, let header = packet.withBytes({ AV1Packet($0).sequenceHeader }) else { return true }
        return header == sequenceHeader
    }

    /// Returns a packet in the form in which it is written between the source's packets. It has new ids of parameter
    /// sets, the source's messages, and the source's framing.
    ///
    /// - Parameters:
    ///   - messages: The messages of the source's pictures, which are added to the packet.
    ///   - ending: The ending of the segment, if it has a special one.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory; ``SmartRenderUnavailable`` if the packet
    ///   does not fit the ending.
    package func finished(
        _ packet: consuming Packet, carrying messages: CarriedMessages? = nil, ending: SegmentEnding? = nil
    ) throws -> Packet {
        guard let codec = codec.units else { return packet }
        var units = NALFraming.startCodes.units(of: packet.bytes).map { Array($0) }.filter { unit in
            let kind = NALUnit.kind(ofHeader: unit[0], codec: codec)
            if case .parameterSet = kind { return false }
            return kind != .sei || !SEIMessage.messages(in: unit[...], codec: codec).contains(where: \.isSignature)
        }
        if codec == .hevc { units = units.map { HEVCSetIDs.renumbered($0, picture: setID) } }
        var begins = units.contains { NALUnit.kind(ofHeader: $0[0], codec: codec) == .entry }
        var own: [[UInt8]] = []
        if let ending, let time = packet.presentationTime, ending.contains(time.value) {
            let fitted = try ending.fitted(units, at: time.value, avcCoding(ownSets))
            (units, begins, own) = (fitted.units, fitted.isEntry, [ending.sequenceUnit])
            if !begins { packet.clearKeyFrame() }
        }
        if let messages, let time = packet.presentationTime {
            units = messages.added(to: units, at: time, isEntry: begins)
        }
        if repeatsSets, begins { units = own + sets.map(\.unit) + units }
        return try packet.replacing(framing.joined(units))
    }
}

/// Carries the messages of a segment's pictures over from the source to the encoded packets: captions, HDR metadata,
/// time codes, and messages of other programs.
///
/// Encoders ignore most of these messages, and displays visibly change their mode if HDR metadata is missing for a
/// segment. Messages about the source's coding (buffering, recovery, hashes) are dropped, since they would be wrong.
///
/// One thread records the source's packets; another thread dequeues the messages.
package final class CarriedMessages: Sendable {
    /// The types of messages that apply to one picture (H.264, table D-1; H.265, table D.1). These are registered user
    /// data (captions, HDR10+), unregistered user data, and time codes.
    private static let ofPictures: Set = [4, SEIMessage.unregistered, 136]
    /// The types of messages that apply from one entry to the next: mastering display, content light level, transfer
    /// characteristics, and ambient viewing environment.
    private static let lasting: Set = [137, 144, 147, 148]

    /// The type of the HEVC unit with Dolby Vision metadata of a picture.
    private static let dolbyVision: UInt8 = 62

    private struct Notes {
        /// The messages of the picture, and the messages that apply from the last entry on.
        var messages: [SEIMessage] = [], lasting: [SEIMessage]
        /// The units that follow the picture.
        var trailing: [[UInt8]] = []
    }

    private struct State {
        /// The notes by presentation time, in ticks of the source.
        var notes: [Int64: Notes] = [:]
        var lasting: [SEIMessage] = []
    }

    private let framing: NALFraming
    private let codec: NALCodec
    private let timeBase: TimeBase
    private let replaced: [UInt8]?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - timeBase: The time base of the source.
    ///   - replaced: The UUID of messages that the run itself writes, if any. The source's messages with this UUID are
    ///     dropped.
    /// - Returns: `nil` for codecs whose pictures have no messages.
    package init?(_ codec: SpliceCodec, framing: NALFraming, timeBase: TimeBase, replaced: [UInt8]? = nil) {
        guard let codec = codec.units else { return nil }
        self.codec = codec
        self.framing = framing
        self.timeBase = timeBase
        self.replaced = replaced
    }

    /// Records the messages of a packet of the source, in decoding order.
    package func record(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime else { return }
        record(packet.bytes, at: time)
    }

    func record(_ bytes: [UInt8], at time: MediaTime) {
        var all: [SEIMessage] = [], trailing: [[UInt8]] = [], startsAnew = false
        for unit in framing.units(of: bytes) {
            guard let header = unit.first else { continue }
            switch NALUnit.kind(ofHeader: header, codec: codec) {
            case .entry: startsAnew = true
            case .sei: all += SEIMessage.messages(in: unit, codec: codec)
            case .other where codec == .hevc && header >> 1 & 0x3F == Self.dolbyVision: trailing.append(Array(unit))
            default: break
            }
        }
        let lasting = all.filter { Self.lasting.contains($0.type) }
        let messages = all.filter { Self.ofPictures.contains($0.type) && !$0.isSignature && !isReplaced($0) }
        state.withLock { state in
            if startsAnew || !lasting.isEmpty { state.lasting = lasting }
            state.notes[ticks(time)] = Notes(messages: messages, lasting: state.lasting, trailing: trailing)
        }
    }

    private func ticks(_ time: MediaTime) -> Int64 { time.rescaled(to: timeBase).value }

    private func isReplaced(_ message: SEIMessage) -> Bool {
        replaced.map { message.userData?.starts(with: $0) == true } ?? false
    }

    /// Returns the units of an encoded picture together with the source's messages for its time, and forgets these
    /// messages.
    ///
    /// - Parameter isEntry: Whether decoding can begin with the picture.
    func added(to units: [[UInt8]], at time: MediaTime, isEntry: Bool) -> [[UInt8]] {
        let ticks = ticks(time)
        guard let notes = state.withLock({ $0.notes.removeValue(forKey: ticks) }) else { return units }
        let messages = (isEntry ? notes.lasting : []) + notes.messages
        var units = units
        if let unit = SEIMessage.unit(of: messages, codec: codec) {
            let first = units.firstIndex { NALUnit.kind(ofHeader: $0[0], codec: codec).isSlice }
            units.insert(unit, at: first ?? units.endIndex)
        }
        return units + notes.trailing
    }
}
