internal import CFFmpeg

/// How a stretch is coded so that it fits into a stream of which the rest is copied.
package struct SplicedCoding: Sendable, Hashable {
    /// The id of its parameter sets, which the source uses nowhere. HEVC: of the picture's; the others are 15.
    package var setID: Int
    /// H.264's limits.
    package var limits: SequenceLimits?
    /// How many pictures may wait for one that is shown before them.
    package var reorderDepth: Int
    /// The encoder's preset, if it matters: AV1's speed decides on the tools that its sequence header announces.
    private(set) var preset: String?
    /// AV1's sequence header, of which a stream has one: stretches can be coded again only by an encoder that announces the
    /// same tools, and no more.
    private(set) var sequenceHeader: [UInt8]?

    /// How many threads each span's encoder has: enough that one span alone keeps two cores busy, as a recording with a
    /// single reaction has one.
    static let threads = 2

    /// - Throws: ``SpliceObstacle`` where the source leaves no room.
    package init(_ survey: VideoSurvey, reorderDepth: Int) throws(SpliceObstacle) {
        limits = survey.limits
        self.reorderDepth = min(reorderDepth, 2)
        sequenceHeader = survey.sequenceHeader
        switch survey.codec {
        case .h264:
            // Some decoders take no id above 30.
            guard let free = (1...30).first(where: { survey.sets.isFree($0) }) else {
                throw SpliceObstacle("all ids of parameter sets are in use")
            }
            setID = free
        case .hevc:
            guard survey.sets.isFree(HEVCSetIDs.sequence),
                let free = HEVCSetIDs.pictures.first(where: { survey.sets.isFree($0) })
            else { throw SpliceObstacle("all ids of parameter sets are in use") }
            setID = free
        case .vp8, .vp9, .av1, .intra, nil: setID = 0
        }
    }

    /// Those of libaom 3.6 with which it announces other tools, the quickest first. SVT-AV1 1.4 is left out: several of its
    /// encoders in one program ended it now and then ("double free").
    private static let av1Speeds = [8, 6, 5, 4, 3, 2, 1]

    /// The ways to code stretches of a source, the quickest first. Of most codecs there is one.
    ///
    /// - Throws: ``SpliceObstacle`` where the source leaves no room.
    package static func choices(_ survey: VideoSurvey, reorderDepth: Int) throws(SpliceObstacle) -> [SplicedCoding] {
        let coding = try SplicedCoding(survey, reorderDepth: reorderDepth)
        guard survey.codec == .av1 else { return [coding] }
        return av1Speeds.map { speed in
            var coding = coding
            coding.preset = String(speed)
            return coding
        }
    }

    /// What the encoder is asked for beside what it is asked for anyway.
    ///
    /// - Parameters:
    ///   - options: the encoder's, by FFmpeg's names.
    ///   - crf: the constant quality.
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
            // One quantiser for all pictures: with a constant quality, golden frames and key frames would get the finest, and
            // take several times the bits of all others.
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
        // x264 asks for four reference frames where B frames refer to each other.
        let usesPyramid = reorderDepth > 1 && references >= 4
        let usesB = reorderDepth > 0 && references >= 2 && limits.profile != 66
        // More cost a tenth of the time, and gain half a tenth of a decibel.
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

    /// H.264, A.3.1: level 1b is written as 1.1 with a flag, or as 0.9.
    private static func level(_ limits: SequenceLimits) -> String {
        let isLow = limits.profile == 66 || limits.profile == 77 || limits.profile == 88
        if limits.level == 9 || limits.level == 11 && isLow && limits.constraints & 0x10 != 0 { return "1b" }
        return "\(limits.level / 10).\(limits.level % 10)"
    }
}
