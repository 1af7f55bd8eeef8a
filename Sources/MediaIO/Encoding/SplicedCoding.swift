internal import CFFmpeg

/// The parameters that fit an encoded segment into a stream whose other packets are copied.
package struct SplicedCoding: Sendable, Hashable {
    package let codec: SpliceCodec
    /// The id of the segment's parameter sets, which the source does not use. For HEVC it is the id of the picture
    /// parameter set; the other sets have the id 15.
    package var setID: Int
    /// The id of a second picture parameter set of H.264, which refers to the source's sequence parameter set; nil if
    /// no segment ends before a recovery point.
    package private(set) var tailSetID: Int?
    /// The limits of an H.264 stream.
    package var limits: SequenceLimits?
    /// True if pictures are coded as two fields of different times: see ``SpliceCodec/keepsFields``.
    package var isInterlaced = false
    /// The maximum number of pictures that are decoded before a picture and shown after it.
    package var reorderDepth: Int
    /// The encoder's preset; nil for the usual one. AV1's speed determines the tools that the sequence header announces.
    /// H.264's needs a third fewer bytes than the usual one, and 1.7 times the time.
    private(set) var preset: String?
    /// True if segments state their own headers, as in streams whose headers change. Otherwise the header of the file
    /// also applies to segments.
    package private(set) var statesHeaders: Bool
    /// The sequence header of AV1 that a segment's encoder must write, bit for bit; nil if segments state their own.
    private(set) var sequenceHeader: [UInt8]?

    /// The number of threads of each segment's encoder. A recording with a single reaction has one segment, which must
    /// keep two cores busy.
    static let threads = 2

    /// - Throws: ``SmartRenderUnavailable`` if the codec is unknown, or if the source uses all ids of parameter sets.
    package init(_ index: PacketIndex, reorderDepth: Int) throws(SmartRenderUnavailable) {
        guard let codec = index.codec else { throw SmartRenderUnavailable("its codec is unknown") }
        self.codec = codec
        limits = index.limits(at: 0)
        self.reorderDepth = min(reorderDepth, 2)
        statesHeaders = index.changesHeaders || codec == .mpeg2 || codec == .mpeg4
        sequenceHeader = statesHeaders ? nil : index.sequenceHeaders.value(at: 0)
        switch codec {
        case .h264:
            preset = "medium"
            // Some decoders do not accept an id above 30.
            guard let free = (1...30).first(where: { index.sets.isFree($0) }) else {
                throw SmartRenderUnavailable("all parameter set ids are in use")
            }
            setID = free
            let canEndOpenly = index.tailLengths?.isEmpty == false
            tailSetID = canEndOpenly ? (free + 1...30).first { index.sets.isFree($0) } : nil
        case .hevc:
            guard index.sets.isFree(HEVCSetIDs.sequence),
                let free = HEVCSetIDs.pictures.first(where: { index.sets.isFree($0) })
            else { throw SmartRenderUnavailable("all parameter set ids are in use") }
            setID = free
        case .vp8, .vp9, .av1, .mpeg2, .mpeg4, .intra: setID = 0
        }
    }

    /// The speeds of libaom 3.6 at which it announces different tools, the fastest first. The slowest ones are left out.
    /// SVT-AV1 1.4 is not used: several encoders in one process sometimes crash ("double free").
    private static let av1Speeds = [8, 6, 5, 4, 3, 2]

    /// Returns the possible codings of a source's segments, the preferred one first. Most codecs have one coding.
    ///
    /// Segments of AV1 have the source's sequence header if libaom can write it. Otherwise they begin with their own, as
    /// each sequence of a stream may (AV1 Bitstream & Decoding Process Specification, 7.5).
    ///
    /// - Throws: ``SmartRenderUnavailable`` if the source uses all ids of parameter sets.
    package static func choices(_ index: PacketIndex, reorderDepth: Int) throws(SmartRenderUnavailable)
        -> [SplicedCoding]
    {
        let coding = try SplicedCoding(index, reorderDepth: reorderDepth)
        guard coding.codec == .av1 else { return [coding] }
        var own = coding
        (own.preset, own.statesHeaders, own.sequenceHeader) = (String(av1Speeds[0]), true, nil)
        if coding.statesHeaders { return [own] }
        let equal = av1Speeds.map { speed in
            var coding = coding
            coding.preset = String(speed)
            return coding
        }
        return equal + [own]
    }

    /// True if the codec states the frame rate, and its encoder accepts times in frames only.
    var numbersFrames: Bool { codec == .mpeg2 || codec == .mpeg4 }

    /// Adds the options that fit the output into the stream.
    ///
    /// - Parameters:
    ///   - options: The encoder's options, by FFmpeg's names.
    ///   - crf: The constant quality; for libvpx a quantiser level, 0…63.
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
            // All pictures get one quantiser. With a constant quality, golden frames and key frames get the lowest QP,
            // and need several times the bits of other frames.
            let level = String(Int(crf))
            options.merge([
                "auto-alt-ref": "0", "deadline": "good", "cpu-used": "4", "b": "100M", "qmin": level, "qmax": level,
                "g": "9999",
            ]) { $1 }
            options["crf"] = nil
        case "ffv1":
            // A later version, the default of FFmpeg 9, has settings in a header that the source lacks.
            options["level"] = "1"
        case "mpeg2video", "mpeg4":
            // Groups are closed, which needs fixed key frames. Without `bitexact` FFmpeg's name would be in the stream.
            options.merge([
                "flags": "+qscale+cgop+bitexact", "global_quality": String(Int(crf) * Int(FF_QP2LAMBDA)),
                "bf": reorderDepth > 0 ? "2" : "0", "g": "18", "sc_threshold": "1000000000",
            ]) { $1 }
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
        // Psychovisual optimisation spends bits on noise, of which the source's coding has left none.
        options["x264-params"] = "sps-id=\(setID):stitchable=1:keyint=infinite:psy=0:aq-mode=2:rc-lookahead=20"
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
