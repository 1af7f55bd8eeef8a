/// The packets around sounds that are encoded again.
///
/// A coded block *n* of AAC and Opus describes frames *n* and *n* + 1: a decoder adds the second half of a block to the
/// first half of the next one. So frame *n* needs blocks *n* − 1 and *n* of one coding, or of two codings of the same
/// samples with the same window. Replacement begins at a block whose first frame has no sound in it, and ends at one
/// after whose last frame none follows. Near these, it looks for a pair of blocks with matching windows.
final class SoundRegion {
    private let transcoder: SoundTranscoder
    private let coding: SoundCoding
    /// The packets that were decoded, and for which it is not decided whether they are replaced.
    private var waiting: [SoundEntry] = []
    private var ready: [SoundEntry] = []
    /// The encoder's packets by the numbers of the packets that they replace.
    private var coded: [Int: [UInt8]] = [:]
    /// The number of the encoder's next packet.
    private var nextCoded = 0
    /// The number of samples to drop before encoding, so that the encoder's packets begin where the originals do.
    private var toDrop = 0
    private var sounds: [PlacedSound] = []
    private var isReplacing = false
    /// The block before the first that waits, as the decoder will receive it, and the original and the coded one.
    private var previous: (original: AACBlock?, coded: AACBlock?) = (nil, nil)
    private(set) var hasEnded = false
    /// The positions of the first replaced sample, and after the last one.
    private(set) var replaced: (first: Int64, end: Int64)?

    /// - Parameter history: The packets before the region.
    init(_ transcoder: SoundTranscoder, _ coding: SoundCoding, after history: [SoundEntry]) {
        (self.transcoder, self.coding) = (transcoder, coding)
        guard coding != .pcm else { return }
        do throws(SoundTranscoder.Failure) {
            // The first packets of a file have no history: they are the encoder's first ones, too.
            let decoded = history.dropLast(min(history.count, coding.warmUp.encoding))
            for entry in decoded.suffix(coding.warmUp.decoding) { try feed(entry, mixing: []) }
            transcoder.dropAll()
            for entry in history.suffix(coding.warmUp.encoding) {
                begin(at: entry)
                try feed(entry, mixing: [])
                try encode()
                previous = (AACBlock(entry.bytes), coded[entry.number].flatMap { AACBlock($0) })
            }
        } catch { isBroken = true }
    }

    /// True if the packets before the region are damaged.
    private var isBroken = false
    private var hasBegun = false

    /// Numbers the encoder's packets, before the first packet is encoded.
    private func begin(at entry: SoundEntry) {
        if hasBegun { return }
        hasBegun = true
        nextCoded = entry.number - transcoder.padding / max(1, transcoder.blockLength)
        toDrop = transcoder.padding % max(1, transcoder.blockLength)
    }

    /// Decodes the next packet, mixes sounds into it, and decides about packets before it.
    func add(_ entry: SoundEntry, mixing sounds: [PlacedSound]) throws(SoundTranscoder.Failure) {
        if isBroken { throw SoundTranscoder.Failure(message: "it is damaged") }
        self.sounds = sounds
        waiting.append(entry)
        if coding == .pcm { return try replacePCM(entry) }
        begin(at: entry)
        try feed(entry, mixing: sounds)
        try encode()
        try settle()
    }

    /// Decides about all packets at the end of the stream.
    func finish() throws(SoundTranscoder.Failure) {
        if coding == .pcm { return }
        try encode(isLast: true)
        try settle(isLast: true)
    }

    /// Returns the packets that are decided.
    func dequeueReady() -> [SoundEntry] {
        defer { ready = [] }
        return ready
    }

    /// Returns the packets that remain after the end, which stay as they are.
    func dequeueRest() -> [SoundEntry] {
        defer { waiting = [] }
        return waiting
    }

    /// Ends the region early; the packets that wait stay as they are.
    func giveUp() { hasEnded = true }

    // MARK: Coding

    private func feed(_ entry: SoundEntry, mixing sounds: [PlacedSound]) throws(SoundTranscoder.Failure) {
        guard entry.length == transcoder.blockLength else {
            throw SoundTranscoder.Failure(message: "the length of its packets changes")
        }
        try transcoder.decode(entry.original, at: entry.position, count: entry.length, mixing: sounds)
        if hasBegun, toDrop > 0 {
            transcoder.drop(toDrop)
            toDrop = 0
        }
    }

    private func encode(isLast: Bool = false) throws(SoundTranscoder.Failure) {
        for bytes in try transcoder.encodeBlocks(isLast: isLast) {
            coded[nextCoded] = bytes
            nextCoded += 1
        }
    }

    private func replacePCM(_ entry: SoundEntry) throws(SoundTranscoder.Failure) {
        waiting = []
        if sounds.contains(where: { $0.overlaps(entry.range) }) {
            try transcoder.decode(entry.original, at: entry.position, count: entry.length, mixing: sounds)
            try replace(entry, by: try transcoder.encodePacket())
        } else {
            hasEnded = true
        }
        ready.append(entry)
    }

    private func replace(_ entry: SoundEntry, by bytes: [UInt8]) throws(SoundTranscoder.Failure) {
        try entry.replace(AACBlock.ADTS(entry.bytes).flatMap { coding == .aac ? $0.wrapping(bytes) : nil } ?? bytes)
        replaced = (replaced?.first ?? entry.range.lowerBound, entry.range.upperBound)
    }

    // MARK: Decisions

    /// Decides about the packets whose replacement is known.
    private func settle(isLast: Bool = false) throws(SoundTranscoder.Failure) {
        while !hasEnded, let entry = waiting.first, let bytes = coded[entry.number] {
            // The end of a replacement depends on the next original.
            if waiting.count < 2, !isLast { return }
            let block = coding == .aac ? AACBlock(bytes) : nil
            let original = coding == .aac ? AACBlock(entry.bytes) : nil
            if !isReplacing { isReplacing = mustBegin(at: entry) || matches(previous.original, previous.coded, block) }
            if isReplacing { try replace(entry, by: bytes) }
            coded[entry.number] = nil
            waiting.removeFirst()
            ready.append(entry)
            let following = waiting.first.flatMap { coding == .aac ? AACBlock($0.bytes) : nil }
            if isReplacing, mayEnd(after: entry) {
                hasEnded = isLate(entry) || matches(block, original, following)
            }
            previous = (original, block)
        }
    }

    /// Returns whether the next frame contains a sound, so that this block must be replaced.
    private func mustBegin(at entry: SoundEntry) -> Bool {
        let frames = entry.position..<entry.range.upperBound + Int64(entry.length)
        return sounds.contains { $0.overlaps(frames) }
    }

    /// Returns whether no sound is in the next frame or soon after.
    private func mayEnd(after entry: SoundEntry) -> Bool {
        let end = entry.range.upperBound
        let soon = end..<end + Int64(entry.length * (coding.margin + 2))
        return !sounds.contains { $0.overlaps(soon) }
    }

    /// Returns whether the end of the last sound is so far that no better place is searched.
    private func isLate(_ entry: SoundEntry) -> Bool {
        let recent = entry.position - Int64(entry.length * coding.margin)..<entry.range.upperBound
        return !sounds.contains { $0.overlaps(recent) }
    }

    /// Returns whether a block of one coding can follow one of the other coding.
    ///
    /// - Parameters:
    ///   - first: The block that precedes the seam.
    ///   - replaced: The block in its place in the coding of `second`, whose window shape `second` continues.
    ///   - second: The block after the seam.
    private func matches(_ first: AACBlock?, _ replaced: AACBlock?, _ second: AACBlock?) -> Bool {
        if coding != .aac { return true }
        guard let first, let replaced, let second else { return false }
        return first.endsLong && second.beginsLong && first.shape == replaced.shape
    }
}
