/// What all packets of a video say of its pictures: what is needed to know where it can be cut.
///
/// Takes some 40 bytes a picture, 9 MB for an hour at 60 frames a second.
package struct VideoSurvey: Sendable, Hashable {
    /// In the order of decoding, one for each packet.
    package private(set) var pictures: [CodedPicture] = []
    /// The codec; nil where its streams are not spliced.
    package let codec: SpliceCodec?
    package let timeBase: TimeBase
    /// The H.264 and HEVC sets that were met.
    private(set) var sets = ParameterSets()
    /// What AV1's sequence header says; `nil` before a packet had one.
    private(set) var sequenceHeader: [UInt8]?
    private let framing: NALFraming
    /// A Boolean value that indicates whether the container states decoding times alone.
    private let statesDecodingTimes: Bool
    /// What of the recording is wanted.
    private let stretch: RecordingStretch?
    /// Why stretches cannot be coded again.
    private var fault: SpliceObstacle?
    /// Why not even all of it can be copied.
    private var copyFault: SpliceObstacle?

    package init(_ demuxer: Demuxer) {
        codec = SpliceCodec(name: demuxer.video.codec)
        timeBase = demuxer.video.timeBase
        framing = demuxer.videoFraming
        statesDecodingTimes = demuxer.formatName == "avi"
        stretch = demuxer.stretch
        if codec == nil {
            fault = SpliceObstacle("\(demuxer.video.codec) video is not coded again in part")
        }
        if demuxer.bearsTransparency {
            fault = SpliceObstacle("its pictures bear transparency beside them")
        }
        if codec == .intra(encoder: "ffv1"), !demuxer.videoConfiguration.isEmpty {
            // Its pictures cannot be read without the settings that stand there, of which a stream has one.
            fault = SpliceObstacle("the header of FFV1 from version 2 on is for all pictures")
        }
        guard let codec, codec.hasUnits else { return }
        let configuration = StreamConfiguration(demuxer.videoConfiguration, isHEVC: codec == .hevc)
        if !configuration.takesSets { fault = SpliceObstacle("its header is damaged") }
        for set in configuration.sets { sets.add(set) }
    }

    /// Why the video cannot even be copied as a whole; nil where it can.
    package var copyObstacle: SpliceObstacle? {
        copyFault ?? (pictures.isEmpty ? SpliceObstacle("it has no pictures") : nil)
    }

    /// Why the video cannot be spliced; nil where it can, as far as packets tell.
    package var obstacle: SpliceObstacle? {
        if let fault = copyFault ?? fault { return fault }
        guard let first = pictures.first(where: { !$0.isDiscarded }) else {
            return SpliceObstacle("it has no pictures")
        }
        if sets.haveChanged { return SpliceObstacle("its parameter sets change midway") }
        if codec == .h264, limits == nil { return SpliceObstacle("its parameter sets are missing") }
        if codec == .av1, sequenceHeader == nil { return SpliceObstacle("its sequence header is missing") }
        if limits?.mayBeInterlaced == true { return SpliceObstacle("it may be interlaced") }
        // FFmpeg's decoder takes it for lossy blocks, or those for lossless ones, where the two take turns.
        if limits?.mayBeLossless == true { return SpliceObstacle("it may be coded without loss") }
        let lacksReferences = first.role == .skippedLeading && !pictures[0].isCutAway
        if pictures[0].role != .entry && pictures[0].role != .openEntry || lacksReferences {
            return SpliceObstacle("it begins within a group of pictures")
        }
        return nil
    }

    /// What an H.264 stream demands of decoders.
    package var limits: SequenceLimits? {
        codec == .h264 ? sets.sequence.map(SequenceLimits.init) : nil
    }

    private static let untimed = SpliceObstacle("its file does not say when each picture is shown")

    /// Returns the survey with changed pictures, which stay in their order.
    func updatingPictures(_ update: (Int, inout CodedPicture) -> Void) -> VideoSurvey {
        var survey = self
        for index in survey.pictures.indices { update(index, &survey.pictures[index]) }
        return survey
    }

    /// Notes the next packet of the video.
    package mutating func add(_ packet: borrowing Packet) {
        guard copyFault == nil else { return }
        let isUntimed = packet.presentationTime == nil
        guard let time = packet.presentationTime ?? (statesDecodingTimes ? packet.decodingTime : nil) else {
            copyFault = Self.untimed
            return
        }
        // Differences of larger times overflow; no recording is that long.
        guard time.value.magnitude < 1 << 60, packet.decodingTime?.value.magnitude ?? 0 < 1 << 60 else {
            copyFault = SpliceObstacle("its time stamps are damaged")
            return
        }
        if isUntimed { fault = fault ?? Self.untimed }
        if packet.isCorrupt { fault = fault ?? SpliceObstacle("packets of it are damaged") }
        var role = CodedPicture.Role.dependent
        if let codec {
            if let found = self.role(of: packet, codec) {
                role = found
            } else {
                fault = fault ?? SpliceObstacle("it has packets that show no picture")
            }
        }
        pictures.append(
            CodedPicture(
                presentationTime: time.value, decodingTime: packet.decodingTime?.value,
                duration: packet.duration?.value ?? 0, size: Int32(clamping: packet.size), role: role,
                isDiscarded: packet.isHidden, isCutAway: stretch?.contains(time.seconds) == false))
    }

    /// - Returns: nil for a packet whose picture is never shown.
    private mutating func role(of packet: borrowing Packet, _ codec: SpliceCodec) -> CodedPicture.Role? {
        switch codec {
        case .h264, .hevc: unitRole(of: packet, isHEVC: codec == .hevc)
        case .intra: packet.isKeyFrame ? .entry : .dependent
        case .vp8: packet.withBytes { VPXHeader.role(ofVP8: $0) }
        case .vp9: packet.withBytes { VPXHeader.role(ofVP9: $0) }
        case .av1: av1Role(of: packet)
        }
    }

    private mutating func av1Role(of packet: borrowing Packet) -> CodedPicture.Role? {
        let found = packet.withBytes { AV1Packet($0) }
        if found.hasMessages {
            fault = fault ?? SpliceObstacle("its pictures bear captions or HDR metadata of their own")
        }
        if let header = found.sequenceHeader {
            if let known = sequenceHeader, known != header {
                fault = fault ?? SpliceObstacle("its sequence header changes midway")
            }
            sequenceHeader = header
        }
        return found.role
    }

    /// A container's key flag proves nothing: MP4 marks recovery points, too.
    private mutating func unitRole(of packet: borrowing Packet, isHEVC: Bool) -> CodedPicture.Role? {
        var found: NALUnit.Kind?
        var new: [ParameterSet] = []
        packet.withBytes { bytes in
            framing.forEachUnit(in: bytes) { range in
                let kind = NALUnit.kind(ofHeader: bytes[range.lowerBound], isHEVC: isHEVC)
                if case .parameterSet = kind {
                    var unit: [UInt8] = []
                    for i in range { unit.append(bytes[i]) }
                    if let set = ParameterSet(unit[...], isHEVC: isHEVC) { new.append(set) }
                } else if kind.isSlice, found == nil {
                    found = kind
                }
            }
        }
        for set in new { sets.add(set) }
        return switch found {
        case .entry: .entry
        case .openEntry: .openEntry
        case .skippedLeading: .skippedLeading
        case .slice: .dependent
        default: nil
        }
    }
}

extension VideoSurvey {
    /// Returns the survey for copying into a container, with those pictures cut away that an edit list hides and that the
    /// copy cannot hide.
    ///
    /// The edit list that libavformat writes has one entry. So it hides pictures before 0, and, once
    /// ``MP4EditList`` has shortened that entry, at the end; neither in the middle, nor in any other container. Pictures
    /// that come after the last shown one in decoding order are not needed by any and never copied.
    package func cuttingHiddenPictures(for container: ContainerFormat) -> VideoSurvey {
        let shown = pictures.indices.filter { !pictures[$0].isDiscarded && !pictures[$0].isCutAway }
        let times = shown.map { pictures[$0].presentationTime }
        guard let last = shown.last, let earliest = times.min(), let latest = times.max() else { return self }
        return updatingPictures { index, picture in
            guard picture.isDiscarded else { return }
            let isBefore = picture.presentationTime < min(earliest, 0)
            let isOutside = isBefore || picture.presentationTime > latest
            if index > last || !isOutside || !container.hidesPictures { picture.isCutAway = true }
        }
    }
}

/// What reading all packets of a recording's video tells: what it is known by again, and where it can be cut.
package struct RecordingSurvey: Sendable, Hashable {
    /// See ``VideoFingerprint``.
    package var fingerprint: String
    package var video: VideoSurvey
}

/// Makes a ``RecordingSurvey`` of packets that somebody reads anyway.
///
/// Used by one thread at a time.
package final class RecordingSurveyor {
    private let fingerprint: VideoFingerprint
    private var video: VideoSurvey
    private let index: Int

    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package init(_ demuxer: Demuxer) throws(MediaError) {
        fingerprint = try VideoFingerprint(path: demuxer.path)
        video = VideoSurvey(demuxer)
        index = demuxer.video.index
    }

    /// Reads a recording to its end; decodes nothing.
    ///
    /// - throws: what opening and reading a ``Demuxer`` throws.
    package static func survey(
        _ path: String, settings: InputSettings = InputSettings(), interrupt: InterruptFlag? = nil
    ) throws(MediaError) -> RecordingSurvey {
        let demuxer = try Demuxer(path: path, settings: settings, interrupt: interrupt)
        let surveyor = try RecordingSurveyor(demuxer)
        while let packet = try demuxer.readPacket() { surveyor.add(packet) }
        return surveyor.finish()
    }

    /// Notes a packet of any stream.
    package func add(_ packet: borrowing Packet) {
        guard packet.streamIndex == index else { return }
        fingerprint.add(packet)
        video.add(packet)
    }

    /// Whether decoding can begin with the packet that was added last, but for pictures that are shown before it.
    package var endsInEntry: Bool { video.pictures.last?.role == .entry || video.pictures.last?.role == .openEntry }

    /// What all that was added tells. Nothing is added after it.
    package func finish() -> RecordingSurvey {
        RecordingSurvey(fingerprint: fingerprint.finish(), video: video)
    }
}

/// A codec of which stretches can be coded again while the rest is copied.
package enum SpliceCodec: Sendable, Hashable {
    case h264, hevc, vp8, vp9, av1
    /// Every picture stands alone; with FFmpeg's name of the encoder.
    case intra(encoder: String)

    /// - Parameter name: FFmpeg's name of the codec.
    /// - Returns: nil where its streams are not spliced.
    package init?(name: String) {
        switch name {
        case "h264": self = .h264
        case "hevc": self = .hevc
        case "vp8": self = .vp8
        case "vp9": self = .vp9
        case "av1": self = .av1
        case "mjpeg", "ffv1", "huffyuv", "ffvhuff", "utvideo": self = .intra(encoder: name)
        case "prores": self = .intra(encoder: "prores_ks")
        default: return nil
        }
    }

    /// The constant qualities of its encoder, from the finest to the coarsest, as ``VideoEncoderSettings/crf``; nil where
    /// there are none to choose from.
    package var qualities: ClosedRange<Double>? {
        switch self {
        case .h264, .hevc: 1...45
        case .vp9, .av1: 4...60
        // Packets state their quantisers.
        case .vp8: nil
        case .intra("mjpeg"): 2...31
        case .intra: nil
        }
    }

    /// Whether its streams are made of NAL units.
    var hasUnits: Bool { self == .h264 || self == .hevc }
}

/// Why a video cannot be spliced, in words that go on after "encoded as a whole: ".
package struct SpliceObstacle: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
