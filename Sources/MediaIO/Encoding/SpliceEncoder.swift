internal import CFFmpeg
import Synchronization

/// Encodes a segment of frames so that its packets can be inserted between the source's packets.
///
/// The first packet is an IDR picture with a closed group of pictures. An encoder is used by one thread at a time;
/// several independent encoders may run in parallel.
package final class SpliceEncoder: @unchecked Sendable {
    package let encoder: VideoEncoder
    private let codec: SpliceCodec
    private let framing: NALFraming
    private let setID: Int
    private let sequenceHeader: [UInt8]?
    /// A Boolean value that indicates whether parameter sets are repeated before each entry, as in streams without a
    /// header.
    private let repeatsSets: Bool

    /// - Parameters:
    ///   - settings: The requested settings. Codec, threads, and everything that fits the output into the stream are
    ///     overridden.
    ///   - source: The demuxer of the surrounding packets.
    package init(
        _ coding: SplicedCoding, settings: VideoEncoderSettings, source: Demuxer, codec: SpliceCodec,
        container: ContainerFormat, path: String, pool: FramePool
    ) {
        var settings = settings
        settings.spliced = coding
        // Pictures next to a seam are encoded at a lower QP than others.
        settings.usesRegions = codec.hasUnits
        // The result depends on the number of threads, so the number must not depend on the machine.
        settings.threads = SplicedCoding.threads
        switch codec {
        case .h264: settings.codec = .h264
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
        case .intra(let name): settings.encoderName = name
        }
        self.codec = codec
        setID = coding.setID
        sequenceHeader = coding.sequenceHeader
        framing = source.videoFraming
        repeatsSets = framing == .startCodes && !container.wantsGlobalHeader
        encoder = VideoEncoder(settings: settings, source: source.video, container: container, path: path, pool: pool)
    }

    /// The parameter sets to which the packets refer. Empty for codecs without parameter sets, and before the first
    /// frame is sent.
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

    /// Returns whether the parameter sets equal another encoder's.
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

    /// Returns whether a packet of this encoder can be inserted between the source's packets. An AV1 stream has only
    /// one sequence header.
    package func fits(_ packet: borrowing Packet) -> Bool {
        guard codec == .av1, let header = packet.withBytes({ AV1Packet($0).sequenceHeader }) else { return true }
        return header == sequenceHeader
    }

    /// Returns a packet in the form in which it is written into the stream.
    ///
    /// - Parameter messages: The messages of the source's pictures, which are repeated.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
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

/// The parameters that fit an encoded segment into a stream whose other packets are copied.
package struct SplicedCoding: Sendable, Hashable {
    /// The id of its parameter sets, which the source does not use. HEVC: the id of the picture parameter set; the
    /// other ids are 15.
    package var setID: Int
    /// The limits of an H.264 stream.
    package var limits: SequenceLimits?
    /// The maximum number of pictures that are decoded before a picture and shown after it.
    package var reorderDepth: Int
    /// The encoder's preset, if it matters. AV1's speed determines the tools that its sequence header announces.
    private(set) var preset: String?
    /// The AV1 sequence header. A stream has only one. So segments can be encoded again only by an encoder that
    /// announces exactly the same tools.
    private(set) var sequenceHeader: [UInt8]?

    /// The number of threads of each segment's encoder. A recording with a single reaction has one segment, which must
    /// keep two cores busy.
    static let threads = 2

    /// - Throws: ``SmartRenderUnavailable`` if the source uses all ids of parameter sets.
    package init(_ index: PacketIndex, reorderDepth: Int) throws(SmartRenderUnavailable) {
        limits = index.limits
        self.reorderDepth = min(reorderDepth, 2)
        sequenceHeader = index.sequenceHeader
        switch index.codec {
        case .h264:
            // Some decoders do not accept an id above 30.
            guard let free = (1...30).first(where: { index.sets.isFree($0) }) else {
                throw SmartRenderUnavailable("all parameter set ids are in use")
            }
            setID = free
        case .hevc:
            guard index.sets.isFree(HEVCSetIDs.sequence),
                let free = HEVCSetIDs.pictures.first(where: { index.sets.isFree($0) })
            else { throw SmartRenderUnavailable("all parameter set ids are in use") }
            setID = free
        case .vp8, .vp9, .av1, .intra, nil: setID = 0
        }
    }

    /// The speeds of libaom 3.6 at which it announces different tools, the fastest first. SVT-AV1 1.4 is not used:
    /// several encoders in one process sometimes crash ("double free").
    private static let av1Speeds = [8, 6, 5, 4, 3, 2, 1]

    /// Returns the possible codings of a source's segments, the fastest first. Most codecs have one coding.
    ///
    /// - Throws: ``SmartRenderUnavailable`` if the source uses all ids of parameter sets.
    package static func choices(_ index: PacketIndex, reorderDepth: Int) throws(SmartRenderUnavailable)
        -> [SplicedCoding]
    {
        let coding = try SplicedCoding(index, reorderDepth: reorderDepth)
        guard index.codec == .av1 else { return [coding] }
        return av1Speeds.map { speed in
            var coding = coding
            coding.preset = String(speed)
            return coding
        }
    }

    /// Adds the options that fit the output into the stream.
    ///
    /// - Parameters:
    ///   - options: The encoder's options, by FFmpeg's names.
    ///   - crf: The constant quality.
    func add(to options: inout [String: String], encoder: String, crf: Double) {
        switch encoder {
        case "libx264":
            addX264(&options)
        case "libx265":
            var parameters = [
                "info=0", "open-gop=0", "keyint=-1", "repeat-headers=0", "frame-threads=\(Self.threads)", "pools=4",
            ]
            parameters.append("bframes=\(reorderDepth > 0 ? 4 : 0)")
            parameters.append("b-pyramid=\(reorderDepth > 1 ? 1 : 0)")
            options["x265-params"] = ([options["x265-params"] ?? ""] + parameters).filter { !$0.isEmpty }.joined(
                separator: ":")
        case "libvpx":
            // One quantiser for all pictures. With a constant quality, golden frames and key frames get the lowest QP,
            // and need several times the bits of other frames.
            let level = String(Int(crf))
            options.merge([
                "auto-alt-ref": "0", "deadline": "good", "cpu-used": "4", "b": "100M", "qmin": level, "qmax": level,
                "g": "9999",
            ]) { $1 }
            options["crf"] = nil
        case "mjpeg":
            options.merge(["flags": "+qscale", "global_quality": String(Int(crf) * Int(FF_QP2LAMBDA))]) { $1 }
        default: break
        }
    }

    private func addX264(_ options: inout [String: String]) {
        guard let limits else { return }
        if let profile = Self.profile(limits) { options["profile"] = profile }
        options["level"] = Self.level(limits)
        let references = max(limits.referenceFrames, 1)
        // x264 requires four reference frames if B-frames refer to each other.
        let usesPyramid = reorderDepth > 1 && references >= 4
        let usesB = reorderDepth > 0 && references >= 2 && limits.profile != 66
        // More reference frames cost 10 % of the time, and gain 0.05 dB.
        options["refs"] = "1"
        // Captions are carried over with all other messages.
        options["a53cc"] = "0"
        options["bf"] = usesB ? "3" : "0"
        options["b-pyramid"] = usesPyramid ? "normal" : "none"
        options["x264-params"] = "sps-id=\(setID):stitchable=1:keyint=infinite"
    }

    private static func profile(_ limits: SequenceLimits) -> String? {
        switch limits.profile {
        case 66: "baseline"
        case 77, 88: "main"
        case 100: "high"
        case 110: "high10"
        case 122: "high422"
        case 244: "high444"
        default: nil
        }
    }

    /// Returns the level's name. Level 1b is coded as 1.1 with a flag, or as 0.9 (H.264, A.3.1).
    private static func level(_ limits: SequenceLimits) -> String {
        let isLow = limits.profile == 66 || limits.profile == 77 || limits.profile == 88
        if limits.level == 9 || limits.level == 11 && isLow && limits.constraints & 0x10 != 0 { return "1b" }
        return "\(limits.level / 10).\(limits.level % 10)"
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
    private let isHEVC: Bool
    private let timeBase: TimeBase
    private let replaced: [UInt8]?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - timeBase: The time base of the source.
    ///   - replaced: The UUID of messages that the run itself writes, if any.
    /// - Returns: `nil` for codecs whose pictures have no messages.
    package init?(_ codec: SpliceCodec, framing: NALFraming, timeBase: TimeBase, replaced: [UInt8]? = nil) {
        guard codec.hasUnits else { return nil }
        isHEVC = codec == .hevc
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
            switch NALUnit.kind(ofHeader: header, isHEVC: isHEVC) {
            case .entry: startsAnew = true
            case .sei: all += SEIMessage.messages(in: unit, isHEVC: isHEVC)
            case .other where isHEVC && header >> 1 & 0x3F == Self.dolbyVision: trailing.append(Array(unit))
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

    /// Returns the units of a picture together with the messages that were recorded for it.
    ///
    /// - Parameter isEntry: Whether decoding can begin with the picture.
    func added(to units: [[UInt8]], at time: MediaTime, isEntry: Bool) -> [[UInt8]] {
        let ticks = ticks(time)
        guard let notes = state.withLock({ $0.notes.removeValue(forKey: ticks) }) else { return units }
        let messages = (isEntry ? notes.lasting : []) + notes.messages
        var units = units
        if let unit = SEIMessage.unit(of: messages, isHEVC: isHEVC) {
            let first = units.firstIndex { NALUnit.kind(ofHeader: $0[0], isHEVC: isHEVC).isSlice }
            units.insert(unit, at: first ?? units.endIndex)
        }
        return units + notes.trailing
    }
}
