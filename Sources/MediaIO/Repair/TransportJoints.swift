internal import CFFmpeg
import Platform

/// Clears FFmpeg's mark of damage where packet counters of a transport stream restart because another segment begins, as
/// in joined HLS segments. To find out, it reads again what FFmpeg's demuxer has passed.
///
/// FFmpeg marks packets at such a joint as damaged, although nothing is missing. The previous picture is complete.
/// Tables follow, and then a picture at which decoding can begin. Missing packets cause another pattern.
final class TransportJoints: PacketFilter {
    private let origin: Origin
    private let video: Int
    /// The number of checked places that were no joints. After ``maximumFailures``, the rest of the file is not
    /// checked.
    private var failures = 0

    private enum Origin {
        case file(OpenFile)
        case stream(StreamSource)
    }

    private static let maximumFailures = 100
    /// The ranges before and after a picture in which counters and times are read, in bytes.
    private static let before = 1 << 18, after = 1 << 24

    init(file: OpenFile, video: Int) { (origin, self.video) = (.file(file), video) }

    /// - Parameter stream: A source that records its last bytes.
    init(stream: StreamSource, video: Int) { (origin, self.video) = (.stream(stream), video) }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        let position = packet.av.pos
        if packet.isCorrupt, packet.streamIndex == video, position >= 0, isJoint(at: position) {
            packet.av.flags &= ~AV_PKT_FLAG_CORRUPT
        }
        return packet
    }

    /// Returns whether packet counters break only at joints, from a picture to the second picture after it. The range
    /// begins there because FFmpeg marks the picture before the break.
    ///
    /// - Parameter position: The start of the picture in the file.
    private func isJoint(at position: Int64) -> Bool {
        guard failures < Self.maximumFailures, let frame = frameSize(at: position) else { return false }
        let reach = max(0, min(Int64(Self.before), position - earliest))
        let begin = position - reach / Int64(frame.size) * Int64(frame.size)
        var check = JointCheck(start: position)
        let range = begin + Int64(frame.lead)..<position + Int64(Self.after)
        let result = search(range, step: frame.size) { bytes, place in
            if let packet = TransportPacket(bytes) { check.add(packet, bytes, at: place) }
            return check.result
        }
        let isJoint = result ?? check.resultAtEnd
        if !isJoint { failures += 1 }
        return isJoint
    }

    /// Returns whether more than one PES packet of a stream begins after a position, within ``after`` bytes.
    ///
    /// - Parameter stream: The stream's PID.
    func hasMore(of stream: Int, after position: Int64) -> Bool {
        guard let frame = frameSize(at: position) else { return false }
        var starts = 0
        let range = position + Int64(frame.lead + frame.size)..<position + Int64(Self.after)
        let result = search(range, step: frame.size) { bytes, _ in
            guard let packet = TransportPacket(bytes) else { return false }
            if packet.stream == stream, packet.isStart { starts += 1 }
            return starts > 1 ? true : nil
        }
        return result ?? false
    }

    /// Returns the first result of a closure for the packets in a range of the file; nil if it has none for any of them.
    private func search(
        _ range: Range<Int64>, step: Int, _ body: (ArraySlice<UInt8>, Int64) -> Bool?
    ) -> Bool? {
        var place = range.lowerBound
        while place < range.upperBound {
            let bytes = read(at: place, count: step * 1024)
            for start in stride(from: 0, through: bytes.count - TransportPacket.size, by: step) {
                let packet = bytes[start..<start + TransportPacket.size]
                if let result = body(packet, place + Int64(start)) { return result }
            }
            if bytes.count < step * 1024 { break }
            place += Int64(bytes.count)
        }
        return nil
    }

    /// Returns the distance between packets in bytes, and the start of the first packet. The distance exceeds 188 bytes
    /// if packets have a time stamp before them or a checksum after them.
    private func frameSize(at position: Int64) -> (size: Int, lead: Int)? {
        let bytes = read(at: position, count: 204 * 4)
        for size in [188, 192, 204] {
            for lead in 0..<size where lead + size * 2 < bytes.count {
                let isAligned = (0..<3).allSatisfy { bytes[lead + size * $0] == TransportPacket.syncByte }
                if isAligned { return (size, lead) }
            }
        }
        return nil
    }

    /// The first position that can be read.
    private var earliest: Int64 {
        if case .stream(let stream) = origin { stream.recent?.start ?? 0 } else { 0 }
    }

    private func read(at place: Int64, count: Int) -> [UInt8] {
        switch origin {
        case .stream(let stream): stream.recent?.read(at: place, count: count) ?? []
        case .file(let file): file.read(at: place, count: count)
        }
    }
}

/// Follows the packet counters of a transport stream around a picture, and decides whether they break only at joints.
struct JointCheck {
    /// The position of the picture.
    let start: Int64
    /// The result: true if counters break only at joints. It is nil until a break is no joint, or all relevant packets
    /// have been read.
    private(set) var result: Bool?

    private var counters: [Int: UInt8] = [:]
    /// The stream of the picture, once it was reached.
    private var stream: Int?
    private var joints = 0
    private var pictures = 0
    /// The program association table since the last packet of the picture's stream, and whether a table's counter broke
    /// since then.
    private var list: TransportPacket?
    private var hasBrokenTable = false

    /// The last PES packet of each stream.
    private var pieces: [Int: Piece] = [:]

    private struct Piece {
        var size: Int?
        var read = 0
        var isStuffed = false
        var time: Int64?
        /// The longest step from one time to the next, in ticks of 90 kHz.
        var longestStep: Int64 = 0

        var isWhole: Bool { size.map { read == $0 } ?? isStuffed }
    }

    init(start: Int64) { self.start = start }

    /// The result at the end of the file.
    var resultAtEnd: Bool { result ?? (joints > 0) }

    mutating func add(_ packet: TransportPacket, _ bytes: ArraySlice<UInt8>, at place: Int64) {
        guard packet.stream != TransportPacket.emptyStream else { return }
        if stream == nil, place >= start - 16, packet.isStart { stream = packet.stream }
        let isCounted = follow(packet)
        let header = packet.header(bytes)
        if stream != nil {
            if packet.hasError { result = false }
            if !isCounted { checkClock(packet, header?.time) }
        }
        if packet.stream == TransportPacket.programList, packet.isStart { list = packet }
        if packet.stream == stream {
            (list, hasBrokenTable) = (nil, false)
            if packet.isStart {
                if pictures > 0, let piece = pieces[packet.stream], piece.size != nil, !piece.isWhole { result = false }
                pictures += 1
            }
            // The picture at ``start`` is counted, too.
            if pictures > 2, result == nil { result = joints > 0 }
        }
        record(packet, header)
    }

    /// Checks a stream's counter.
    /// - Returns: Whether the counter continues without a break.
    private mutating func follow(_ packet: TransportPacket) -> Bool {
        defer { counters[packet.stream] = packet.counter }
        guard let last = counters[packet.stream], !packet.isDiscontinuity else { return true }
        return packet.counter == (packet.hasContent ? (last + 1) & 15 : last)
    }

    /// Checks a packet at which its stream's counter breaks.
    private mutating func checkClock(_ packet: TransportPacket, _ time: Int64?) {
        guard packet.isStart else {
            result = false
            return
        }
        guard packet.stream == stream else {
            hasBrokenTable = hasBrokenTable || pieces[packet.stream] == nil
            return
        }
        // Many writers count from 0 in each segment.
        let restarts = packet.counter == 0 && list?.counter == 0
        let piece = pieces[packet.stream] ?? Piece()
        guard let list, restarts || hasBrokenTable && packet.isRandomAccess && piece.isWhole, !list.hasError,
            follows(piece, time)
        else {
            result = false
            return
        }
        joints += 1
    }

    /// Returns whether no picture is missing between a PES packet and a time. The step between both must not be much
    /// longer than earlier steps, unless the clock has changed: it runs backwards or skips ten seconds.
    private func follows(_ piece: Piece, _ time: Int64?) -> Bool {
        guard let time, let last = piece.time, piece.longestStep > 0 else { return true }
        let step = time - last
        return step < 0 || step <= piece.longestStep * 3 / 2 || step > 900_000
    }

    private mutating func record(_ packet: TransportPacket, _ header: (size: Int?, time: Int64?)?) {
        var piece = pieces[packet.stream] ?? Piece()
        if let header {
            let last = piece
            piece = Piece(size: header.size, time: header.time ?? last.time, longestStep: last.longestStep)
            if let old = last.time, let new = header.time, new > old, new - old < 900_000 {
                piece.longestStep = max(last.longestStep, new - old)
            }
        } else if pieces[packet.stream] == nil {
            return
        }
        piece.read += packet.contentSize
        piece.isStuffed = packet.isStuffed
        pieces[packet.stream] = piece
    }
}

/// A packet of an MPEG transport stream (ISO/IEC 13818-1, 2.4.3).
struct TransportPacket {
    /// The number of its stream in the file (PID).
    let stream: Int
    /// True if a PES packet or a table begins in it.
    let isStart: Bool
    /// True if a receiver detected bit errors (`transport_error_indicator`).
    let hasError: Bool
    let hasContent: Bool
    /// The number of the stream's packets with content so far, modulo 16.
    let counter: UInt8
    /// True if counters and clock are discontinuous (`discontinuity_indicator`).
    let isDiscontinuity: Bool
    /// True if decoding can begin with it (`random_access_indicator`).
    let isRandomAccess: Bool
    /// A Boolean value that indicates stuffing, as in the last packet of a PES packet.
    let isStuffed: Bool
    /// The offset of its payload.
    private let contentStart: Int

    static let size = 188
    static let syncByte: UInt8 = 0x47
    /// The stream of the program association table, which lists all other tables.
    static let programList = 0
    static let emptyStream = 0x1FFF

    /// - Parameter bytes: The 188 bytes of a packet.
    /// - Returns: `nil` if they are not a packet.
    init?(_ bytes: ArraySlice<UInt8>) {
        let start = bytes.startIndex
        guard bytes.count == Self.size, bytes[start] == Self.syncByte else { return nil }
        hasError = bytes[start + 1] & 0x80 != 0
        isStart = bytes[start + 1] & 0x40 != 0
        stream = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        counter = bytes[start + 3] & 15
        hasContent = bytes[start + 3] & 0x10 != 0
        let length = bytes[start + 3] & 0x20 != 0 ? Int(bytes[start + 4]) : nil
        let flags = (length ?? 0) > 0 ? bytes[start + 5] : 0
        isDiscontinuity = flags & 0x80 != 0
        isRandomAccess = flags & 0x40 != 0
        // The fields that the flags announce: two clocks of six bytes, a counter, private data, and an extension.
        var needed = 1 + (flags & 0x10 != 0 ? 6 : 0) + (flags & 0x08 != 0 ? 6 : 0) + (flags & 0x04 != 0 ? 1 : 0)
        for flag in [0x02, 0x01] as [UInt8] where flags & flag != 0 && needed + 5 < Self.size {
            needed += 1 + Int(bytes[start + 5 + needed])
        }
        isStuffed = length.map { $0 == 0 || $0 > needed } ?? false
        contentStart = min(4 + (length.map { $0 + 1 } ?? 0), Self.size)
    }

    /// The number of payload bytes.
    var contentSize: Int { hasContent ? Self.size - contentStart : 0 }

    /// Returns the size and the decoding time, in ticks of 90 kHz, of a PES packet that begins in this packet. Values
    /// that the header does not state are nil.
    func header(_ bytes: ArraySlice<UInt8>) -> (size: Int?, time: Int64?)? {
        let start = bytes.startIndex + contentStart
        guard isStart, contentSize >= 19, bytes[start] == 0, bytes[start + 1] == 0, bytes[start + 2] == 1 else {
            return nil
        }
        let size = Int(bytes[start + 4]) << 8 | Int(bytes[start + 5])
        // The presentation time is followed by the decoding time if they differ.
        let place: Int? =
            switch bytes[start + 7] >> 6 {
            case 2: start + 9
            case 3: start + 14
            default: nil
            }
        let time = place.map { place in
            let fields = bytes[place..<place + 5].map(Int64.init)
            let high = (fields[0] >> 1 & 7) << 30, middle = fields[1] << 22 | (fields[2] >> 1) << 15
            return high | middle | fields[3] << 7 | fields[4] >> 1
        }
        return (size == 0 ? nil : size + 6, time)
    }
}
