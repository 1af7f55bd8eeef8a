import Synchronization

/// What the pictures of a span said of themselves in the source, and say again once they are coded anew: captions, HDR
/// metadata, time codes, and messages of other programs.
///
/// The encoder knows nothing of most of them, and a television that loses HDR metadata for the length of a span shows
/// that. Messages on how the source was coded (buffering, recovery, hashes) stay behind, for they would be wrong.
///
/// One thread notes the source's packets, another takes what was noted.
package final class CarriedMessages: Sendable {
    /// Types of messages (H.264, table D-1; H.265, table D.1).
    private enum Kind {
        /// Registered user data, such as captions and HDR10+; unregistered ones; time codes.
        static let ofPictures: Set = [4, SEIMessage.unregistered, 136]
        /// What holds from an entry to the next: the display that the video was graded on, its brightest light, the
        /// transfer characteristics and the viewer's surroundings.
        static let lasting: Set = [137, 144, 147, 148]
    }

    /// The HEVC unit that says how Dolby Vision shows a picture.
    private static let dolbyVision: UInt8 = 62

    private struct Notes {
        /// Of the picture, and what holds from the last entry on.
        var messages: [SEIMessage] = [], lasting: [SEIMessage]
        /// Units that follow the picture.
        var trailing: [[UInt8]] = []
    }

    private struct State {
        /// By presentation times in ticks of the source.
        var notes: [Int64: Notes] = [:]
        var lasting: [SEIMessage] = []
    }

    private let framing: NALFraming
    private let isHEVC: Bool
    private let timeBase: TimeBase
    private let replaced: [UInt8]?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - timeBase: the source's.
    ///   - replaced: the UUID of messages that the run writes itself, if it does.
    /// - Returns: `nil` for codecs whose pictures bear no messages.
    package init?(_ codec: SpliceCodec, framing: NALFraming, timeBase: TimeBase, replaced: [UInt8]? = nil) {
        guard codec.hasUnits else { return nil }
        isHEVC = codec == .hevc
        self.framing = framing
        self.timeBase = timeBase
        self.replaced = replaced
    }

    /// Notes what a packet of the source says, in the order of decoding.
    package func note(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime else { return }
        note(packet.bytes, at: time)
    }

    func note(_ bytes: [UInt8], at time: MediaTime) {
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
        let lasting = all.filter { Kind.lasting.contains($0.type) }
        let messages = all.filter { Kind.ofPictures.contains($0.type) && !$0.isSignature && !isReplaced($0) }
        state.withLock { state in
            if startsAnew || !lasting.isEmpty { state.lasting = lasting }
            state.notes[ticks(time)] = Notes(messages: messages, lasting: state.lasting, trailing: trailing)
        }
    }

    private func ticks(_ time: MediaTime) -> Int64 { time.rescaled(to: timeBase).value }

    private func isReplaced(_ message: SEIMessage) -> Bool {
        replaced.map { message.userData?.starts(with: $0) == true } ?? false
    }

    /// The units of a picture with what was noted for it.
    ///
    /// - Parameter isEntry: whether decoding may begin there.
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
