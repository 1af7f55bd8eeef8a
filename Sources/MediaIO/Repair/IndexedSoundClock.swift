/// Repairs the times of compressed sound in AVI files whose header states a wrong rate.
///
/// AVI has no time stamps: FFmpeg computes them from the header. Some recorders state a rate for constant bit rates in
/// files with variable ones, so that hours of sound fall into the first seconds. The durations of packets come from the
/// codec, and are right.
final class IndexedSoundClock: PacketFilter {
    private enum State {
        case first(end: Int64)
        case isRight
        /// The times are computed from the durations. The next packet begins at this time, in ticks.
        case isWrong(next: Int64)
    }

    private let video: Int
    private var states: [Int: State] = [:]

    /// - Parameter video: The stream of the video, which is right.
    init(video: Int) { self.video = video }

    func add(_ packet: consuming Packet, of input: InputContext) -> Packet? {
        if packet.streamIndex != video { correct(packet) }
        return packet
    }

    private func correct(_ packet: borrowing Packet) {
        guard let time = packet.presentationTime?.value, let duration = packet.duration?.value else { return }
        switch states[packet.streamIndex] {
        case nil: states[packet.streamIndex] = .first(end: time + duration)
        case .isRight: break
        case .first(let end):
            let isWrong = abs(time - end) > duration / 2
            states[packet.streamIndex] = isWrong ? .isWrong(next: end) : .isRight
            if isWrong { correct(packet) }
        case .isWrong(let next):
            packet.move(by: next - time)
            states[packet.streamIndex] = .isWrong(next: next + duration)
        }
    }

    func reset() { states = [:] }
}
