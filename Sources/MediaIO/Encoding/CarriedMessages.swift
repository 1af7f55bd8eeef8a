import Synchronization

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
    ///   - replaced: The UUID of messages that the run itself writes, if any. The source's messages with this UUID are
    ///     dropped.
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

    /// Returns the units of an encoded picture together with the source's messages for its time, and forgets these
    /// messages.
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
