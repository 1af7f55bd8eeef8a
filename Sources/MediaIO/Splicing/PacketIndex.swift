/// An index of all packets of a video, which determines where the video can be cut.
///
/// The index uses about 40 bytes a picture, 9 MB for an hour at 60 frames a second.
package struct PacketIndex: Sendable, Hashable {
    /// The pictures in decoding order, one for each packet.
    package private(set) var pictures: [CodedPicture] = []
    /// The codec; nil if streams of the codec cannot be spliced.
    package let codec: SpliceCodec?
    package let timeBase: TimeBase
    /// The parameter sets of H.264 and HEVC.
    private(set) var sets = ParameterSets()
    /// The recovery points of H.264.
    private(set) var recovery = RecoveryPointFinder()
    /// The contents of AV1's sequence headers, or the headers before pictures of MPEG-2 and MPEG-4 Visual.
    private(set) var sequenceHeaders = VersionedValue<[UInt8]>()
    /// The presentation time of the last intra picture of MPEG-2 or MPEG-4 Visual, in ticks, if its group is open.
    private var openEntryTime: Int64?
    private let framing: NALFraming
    /// True if the container states decoding times only.
    private let statesDecodingTimes: Bool
    /// The requested part of the recording.
    private let trim: TrimRange?
    /// The reason why segments cannot be encoded again, if any.
    private var fault: SmartRenderUnavailable?
    /// The reason why the video cannot even be copied as a whole, if any.
    private var copyFault: SmartRenderUnavailable?

    package init(_ demuxer: Demuxer) {
        codec = SpliceCodec(name: demuxer.video.codec)
        timeBase = demuxer.video.timeBase
        framing = demuxer.videoFraming
        statesDecodingTimes = demuxer.formatName == "avi"
        trim = demuxer.trim
        if codec == nil {
            fault = SmartRenderUnavailable("\(demuxer.video.codec) video cannot be encoded in segments")
        }
        if demuxer.hasSeparateAlpha {
            fault = SmartRenderUnavailable("its alpha channel is stored separately")
        }
        if codec == .intra(encoder: "ffv1"), !demuxer.videoConfiguration.isEmpty {
            // FFV1 pictures need the settings in the header, and a stream has only one header.
            fault = SmartRenderUnavailable("FFV1 from version 2 on has one header for all frames")
        }
        read(header: demuxer.videoConfiguration, at: ParameterSets.header)
    }

    /// Reads the header that applies from a packet on.
    private mutating func read(header: [UInt8], at packet: Int) {
        let content =
            switch codec {
            case .av1: AV1Packet.sequenceHeader(ofConfiguration: header)
            case .mpeg2, .mpeg4: MPEGPicture(header.span, isMPEG2: codec == .mpeg2).header
            default: nil as [UInt8]?
            }
        if let content { sequenceHeaders.append(content, from: max(packet, 0)) }
        guard let codec = codec?.units else { return }
        let configuration = StreamConfiguration(header, codec: codec)
        if !configuration.acceptsSets { reject("its header is damaged") }
        if packet >= 0, NALFraming(configuration: header, codec: codec) != framing {
            reject("the lengths of its units change within the video")
        }
        for set in configuration.sets { learn(set, at: packet) }
    }

    private mutating func learn(_ set: ParameterSet, at packet: Int) {
        sets.add(set, at: packet)
        if codec == .h264 { recovery.learn(set) }
    }

    /// True if the headers that pictures need change within the video. Each entry of a copy then contains its own.
    package var changesHeaders: Bool { sequenceHeaders.hasChanged || sets.haveChanged }

    /// The number of frames that a segment needs before each picture that is not an entry, but at which copying may
    /// resume, by the numbers of these pictures; nil if there are no such needs.
    package var tailLengths: [Int: Int]? {
        guard codec == .h264 else { return nil }
        return sets.haveChanged ? [:] : recovery.tailLengths
    }

    /// The reason why the video cannot even be copied as a whole; nil if it can.
    package var copyingUnavailable: SmartRenderUnavailable? {
        copyFault ?? (pictures.isEmpty ? SmartRenderUnavailable("it has no frames") : nil)
    }

    /// Returns the reason why segments of the video cannot be encoded again, according to its packets; nil if they can.
    package func smartRenderUnavailable(in spans: [SpliceSpan]) -> SmartRenderUnavailable? {
        if let fault = copyFault ?? fault { return fault }
        guard let first = pictures.first(where: { !$0.isDiscarded }) else {
            return SmartRenderUnavailable("it has no frames")
        }
        if let unavailable = spans.lazy.compactMap(unsupportedHeader).first { return unavailable }
        let lacksReferences = first.role == .skippedLeading && !pictures[0].isCutAway
        let begins = pictures[0].role == .entry || pictures[0].role == .openEntry && codec != .h264
        if !begins || lacksReferences {
            return SmartRenderUnavailable("it does not start with a key frame")
        }
        return nil
    }

    /// Returns the reason, according to the headers that apply to a segment, why it cannot be encoded again; nil if it
    /// can.
    private func unsupportedHeader(of span: SpliceSpan) -> SmartRenderUnavailable? {
        if codec?.hasSequenceHeaders == true, sequenceHeaders.value(at: span.primer) == nil {
            return SmartRenderUnavailable("its sequence header is missing")
        }
        guard codec == .h264 else { return nil }
        for packet in [span.primer] + sets.sequenceChanges(in: span.decoded) {
            guard let limits = limits(at: packet) else {
                return SmartRenderUnavailable("its parameter sets are missing")
            }
            // FFmpeg decodes such frames as 4:2:0.
            if limits.chromaFormat == 0 {
                return SmartRenderUnavailable("its frames have no colour, but effects do")
            }
            // FFmpeg's decoder fails when lossy and lossless blocks alternate.
            if limits.mayBeLossless { return SmartRenderUnavailable("it may be lossless") }
        }
        return nil
    }

    /// Returns the limits that an H.264 stream states for decoders at a packet.
    package func limits(at packet: Int) -> SequenceLimits? {
        codec == .h264 ? sets.sequence(at: packet).map(SequenceLimits.init) : nil
    }

    /// Returns the limits that an H.264 stream states for the picture with a presentation time, in ticks.
    package func limits(showing time: Int64) -> SequenceLimits? {
        guard codec == .h264, let packet = pictures.firstIndex(where: { $0.presentationTime == time }) else {
            return nil
        }
        return limits(at: packet)
    }

    private static let untimed = "its container has no presentation time stamps"

    /// Records the first reason why segments cannot be encoded again.
    private mutating func reject(_ reason: String) { fault = fault ?? SmartRenderUnavailable(reason) }

    /// Adds the next packet of the video.
    package mutating func add(_ packet: borrowing Packet) {
        guard copyFault == nil else { return }
        let isUntimed = packet.presentationTime == nil
        guard let time = packet.presentationTime ?? (statesDecodingTimes ? packet.decodingTime : nil) else {
            copyFault = SmartRenderUnavailable(Self.untimed)
            return
        }
        // Differences of larger times would overflow. No recording has such times.
        guard time.value.magnitude < 1 << 60, packet.decodingTime?.value.magnitude ?? 0 < 1 << 60 else {
            copyFault = SmartRenderUnavailable("its time stamps are damaged")
            return
        }
        if isUntimed { reject(Self.untimed) }
        if packet.isCorrupt { reject("it has damaged packets") }
        if let header = packet.newHeader { read(header: header, at: pictures.count) }
        var role = CodedPicture.Role.dependent
        if let codec {
            if let found = self.role(of: packet, codec, time: time.value) {
                role = found
            } else {
                reject("it has packets without a visible frame")
            }
        }
        pictures.append(
            CodedPicture(
                presentationTime: time.value, decodingTime: packet.decodingTime?.value,
                duration: packet.duration?.value ?? 0, size: Int32(clamping: packet.size), role: role,
                isDiscarded: packet.isHidden, isCutAway: trim?.contains(time.seconds) == false))
    }

    /// - Returns: nil for a packet whose picture is never shown.
    private mutating func role(
        of packet: borrowing Packet, _ codec: SpliceCodec, time: Int64
    ) -> CodedPicture.Role? {
        switch codec {
        case .h264: unitRole(of: packet, codec: .h264, time: time)
        case .hevc: unitRole(of: packet, codec: .hevc, time: time)
        case .intra: packet.isKeyFrame ? .entry : .dependent
        case .vp8: packet.withBytes { VPXHeader.role(ofVP8: $0) }
        case .vp9: packet.withBytes { VPXHeader.role(ofVP9: $0) }
        case .av1: av1Role(of: packet)
        case .mpeg2, .mpeg4: mpegRole(of: packet, time: time)
        }
    }

    /// Returns the role of a picture of MPEG-2 or MPEG-4 Visual. Each intra picture is an entry. Pictures after it that
    /// are shown before it may refer to the group before, unless its own group is closed.
    private mutating func mpegRole(of packet: borrowing Packet, time: Int64) -> CodedPicture.Role? {
        let picture = packet.withBytes { MPEGPicture($0, isMPEG2: codec == .mpeg2) }
        if let header = picture.header { sequenceHeaders.append(header, from: pictures.count) }
        switch picture.kind {
        case .intra:
            openEntryTime = picture.isClosed ? nil : time
            return picture.isClosed ? .entry : .openEntry
        case .bidirectional: return openEntryTime.map { time < $0 } == true ? .skippedLeading : .dependent
        case .predicted, .other: return .dependent
        case nil: return nil
        }
    }

    private mutating func av1Role(of packet: borrowing Packet) -> CodedPicture.Role? {
        let found = packet.withBytes { AV1Packet($0) }
        if found.hasMessages {
            reject("its frames contain captions or HDR metadata")
        }
        if let header = found.sequenceHeader { sequenceHeaders.append(header, from: pictures.count) }
        return found.role
    }

    /// Returns the role of an H.264 or HEVC picture. The container's key flag is not sufficient: MP4 marks recovery
    /// points of H.264 as key frames, too.
    private mutating func unitRole(of packet: borrowing Packet, codec: NALCodec, time: Int64) -> CodedPicture.Role? {
        var found: NALUnit.Kind?
        var units = RecoveryPointFinder.Units()
        for unit in framing.units(of: packet.bytes) {
            let kind = NALUnit.kind(ofHeader: unit[unit.startIndex], codec: codec)
            if case .parameterSet = kind {
                if let set = ParameterSet(unit, codec: codec) { learn(set, at: pictures.count) }
                continue
            }
            if kind.isSlice, found == nil { found = kind }
            if codec == .h264 { units.add(unit, kind) }
        }
        guard let found else { return nil }
        if codec == .h264 {
            if found == .entry { sets.addEntry(units.slice, at: pictures.count) }
            return recovery.role(of: units, number: pictures.count, time: time)
        }
        return switch found {
        case .entry: .entry
        case .openEntry: .openEntry
        case .skippedLeading: .skippedLeading
        default: .dependent
        }
    }
}

extension PacketIndex {
    /// Returns the index for copying into a container. Pictures that the source's edit list hides, but that the copy
    /// could not hide, are cut away.
    ///
    /// libavformat's edit list has one entry. It hides pictures before 0 and, after ``MP4EditList`` has shortened it,
    /// at the end. It cannot hide pictures in the middle, or in other containers. Pictures that follow the last shown
    /// picture in decoding order are never needed and never copied.
    package func cuttingHiddenPictures(for container: ContainerFormat) -> PacketIndex {
        let shown = pictures.indices.filter { !pictures[$0].isDiscarded && !pictures[$0].isCutAway }
        let times = shown.map { pictures[$0].presentationTime }
        guard let last = shown.last, let earliest = times.min(), let latest = times.max() else { return self }
        var cut = self
        for index in pictures.indices where pictures[index].isDiscarded {
            let time = pictures[index].presentationTime
            let isOutside = time < min(earliest, 0) || time > latest
            if index > last || !isOutside || !container.hidesPictures { cut.pictures[index].isCutAway = true }
        }
        return cut
    }
}

/// The result of reading all packets of a recording's video: its fingerprint, and the index of its packets.
package struct IndexedRecording: Sendable, Hashable {
    /// The fingerprint: see ``VideoFingerprint``.
    package var fingerprint: String
    package var video: PacketIndex
}

/// Makes an ``IndexedRecording`` of packets that the caller reads.
///
/// Used by one thread at a time.
package final class PacketIndexer {
    private let fingerprint: VideoFingerprint
    private var video: PacketIndex
    private let index: Int

    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package init(_ demuxer: Demuxer) throws(MediaError) {
        fingerprint = try VideoFingerprint(path: demuxer.path)
        video = PacketIndex(demuxer)
        index = demuxer.video.index
    }

    /// Reads a recording to its end without decoding.
    ///
    /// - throws: The errors of ``Demuxer/readPacket()``.
    package static func index(_ demuxer: Demuxer) throws(MediaError) -> IndexedRecording {
        let indexer = try PacketIndexer(demuxer)
        while let packet = try demuxer.readPacket() { indexer.add(packet) }
        return indexer.finish()
    }

    /// Adds a packet of any stream.
    package func add(_ packet: borrowing Packet) {
        guard packet.streamIndex == index else { return }
        fingerprint.add(packet)
        video.add(packet)
    }

    /// True if decoding can begin with the last added packet. Pictures that follow it, but are shown before it, may not
    /// be decodable.
    package var endsInEntry: Bool { video.pictures.last?.role == .entry || video.pictures.last?.role == .openEntry }

    /// Returns the result for all added packets. No packet may be added after it.
    package func finish() -> IndexedRecording {
        IndexedRecording(fingerprint: fingerprint.finish(), video: video)
    }
}

/// A codec whose streams can be encoded again in segments while the rest is copied.
package enum SpliceCodec: Sendable, Hashable {
    case h264, hevc, vp8, vp9, av1, mpeg2, mpeg4
    /// A codec of which every picture can be decoded alone, with FFmpeg's name of the encoder.
    case intra(encoder: String)

    /// - Parameter name: FFmpeg's name of the codec.
    /// - Returns: nil if streams of the codec cannot be spliced.
    package init?(name: String) {
        switch name {
        case "h264": self = .h264
        case "hevc": self = .hevc
        case "vp8": self = .vp8
        case "vp9": self = .vp9
        case "av1": self = .av1
        case "mpeg2video": self = .mpeg2
        case "mpeg4": self = .mpeg4
        case "mjpeg", "ffv1", "huffyuv", "ffvhuff", "utvideo": self = .intra(encoder: name)
        case "prores": self = .intra(encoder: "prores_ks")
        default: return nil
        }
    }

    /// The constant qualities of the codec's encoder, from the finest to the coarsest, as ``VideoEncoderSettings/crf``;
    /// nil if the encoder has no such scale.
    package var qualities: ClosedRange<Double>? {
        switch self {
        case .h264, .hevc: 1...45
        case .vp9, .av1: 4...60
        // Segments of VP8 get the quantisers that the source's packets state.
        case .vp8: nil
        case .mpeg2, .mpeg4, .intra("mjpeg"): 2...31
        case .intra: nil
        }
    }

    /// The codec if its streams consist of NAL units; otherwise nil.
    var units: NALCodec? {
        switch self {
        case .h264: .h264
        case .hevc: .hevc
        case .vp8, .vp9, .av1, .mpeg2, .mpeg4, .intra: nil
        }
    }

    /// True if streams of the codec have sequence headers, without which no picture can be decoded.
    var hasSequenceHeaders: Bool { [.av1, .mpeg2, .mpeg4].contains(self) }

    /// True if segments can consist of pictures with two fields of different times.
    package var keepsFields: Bool { [.h264, .mpeg2, .mpeg4].contains(self) }
}

/// The reason why a video cannot be spliced. Its description completes the message "encoded as a whole: …".
package struct SmartRenderUnavailable: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
