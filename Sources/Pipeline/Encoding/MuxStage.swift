package import MediaIO
import Platform
import Reactions

/// Writes packets of all streams, and reports the sizes and quantisers of the video's packets to the event emitter.
///
/// Source: copied packets from the reader, and the header and the packets of the encoder; the muxer interleaves them.
struct MuxStage: Stage, ~Copyable {
    private let source: Channel<OutputItem>
    private let muxer: Muxer
    private let videoIndex: Int
    private let outlet: EventEmitter
    private let meter: SessionMeter
    private let latency: LatencyMeter?
    /// Mixes sounds into a copied stream; nil if none are mixed.
    private let sounds: ReactionSounds?
    /// The time at which warnings are emitted. Warnings about damage of a recording are emitted at the end, because the
    /// arrival time of packets depends on thread scheduling.
    private let warningTime: EmissionTime
    private let progress: (_ frames: Int, _ time: Double) -> Void
    /// The number of video packets written so far.
    private var frameCount = 0
    private var damage = CopyDamage()
    /// The warnings that wait for the end.
    private var warnings: [PipelineWarning] = []

    init(
        _ source: Channel<OutputItem>, muxer: Muxer, videoIndex: Int, outlet: EventEmitter, meter: SessionMeter,
        latency: LatencyMeter? = nil, sounds: ReactionSounds? = nil,
        warningTime: EmissionTime = .atEnd, progress: @escaping (_ frames: Int, _ time: Double) -> Void
    ) {
        self.source = source
        self.muxer = muxer
        self.videoIndex = videoIndex
        self.outlet = outlet
        self.meter = meter
        self.latency = latency
        self.sounds = sounds
        self.warningTime = warningTime
        self.progress = progress
    }

    /// - Returns: The number of frames written.
    /// - Throws: `MediaError`.
    consuming func run() throws -> Int {
        while let item = source.receive() {
            switch consume item {
            case .header(let header): try muxer.begin(header)
            case .packet(let packet): try pass(packet)
            }
        }
        try writeSounds(until: .infinity)
        try muxer.flush()
        note(damage.finish(muxer.dequeueDamage()))
        for skipped in muxer.dequeueLateSkips() { outlet.emit(skipped.warning) }
        if let seconds = muxer.displacement { outlet.emit(muxer.container.displacementWarning(seconds)) }
        for warning in warnings { outlet.emit(warning) }
        return frameCount
    }

    /// Writes a packet; sound into which others are mixed waits for the video.
    private mutating func pass(_ packet: consuming Packet) throws {
        guard let sounds else { return try write(packet) }
        if packet.streamIndex == sounds.streamIndex { return sounds.push(packet) }
        let time = packet.streamIndex == videoIndex ? packet.decodingTime?.seconds : nil
        try write(packet)
        if let time { try writeSounds(until: time) }
    }

    /// Writes the waiting sound before a time at which all effects are known.
    private mutating func writeSounds(until time: Double) throws {
        for queued in sounds?.release(until: time) ?? [] {
            if let packet = queued.packet.take() { try write(packet) }
        }
    }

    private mutating func write(_ packet: consuming Packet) throws {
        let stream = packet.streamIndex
        let feedback = stream == videoIndex ? Self.feedback(of: packet) : nil
        try muxer.write(packet)
        if let feedback {
            frameCount += 1
            outlet.add(feedback)
            meter.noteWritten(bits: feedback.bits, at: feedback.decodingTime)
            emitLatency(at: feedback.presentationTime)
            progress(frameCount, feedback.presentationTime)
        }
        note(damage.add(muxer.dequeueDamage(), stream: stream, joins: warnings.count >= Self.maximumWarnings))
    }

    /// The number of warnings after which further warnings are reported as one interval.
    private static let maximumWarnings = 100

    private mutating func note(_ new: [PipelineWarning]) {
        switch warningTime {
        case .atOnce: for warning in new { outlet.emit(warning) }
        case .atEnd: warnings += new
        }
    }

    private func emitLatency(at time: Double) {
        guard let latency else { return }
        latency.written(at: time)
        guard let statistics = latency.report(at: time) else { return }
        outlet.emit(.statistics(statistics))
    }

    private static func feedback(of packet: borrowing Packet) -> EventSequencer.Feedback {
        let time = packet.presentationTime?.seconds ?? 0
        return EventSequencer.Feedback(
            presentationTime: time, decodingTime: packet.decodingTime?.seconds ?? time,
            bits: packet.size * 8, qp: packet.quantiser)
    }
}

extension ContainerFormat {
    /// Returns the warning for a container that cannot hold the times of frames.
    fileprivate func displacementWarning(_ seconds: Double) -> PipelineWarning {
        let maximum = (seconds * 1000).rounded() / 1000
        return PipelineWarning(
            code: .formatConverted,
            message:
                "\(displayName) does not store time stamps: frames are shown up to \(maximum) s early or late; write .mp4 or .mkv to keep the time stamps"
        )
    }
}

/// Joins the damage in copied streams into intervals of each stream, so that each interval causes one warning.
package struct CopyDamage {
    private var reports: [Int: DamageReport] = [:]

    package init() {}

    /// Adds the damage that was found while a packet was written.
    ///
    /// - Parameters:
    ///   - stream: The packet's stream. A packet without damage ends the stream's interval.
    ///   - joins: `true` if an undamaged packet does not end the interval either, to limit the number of warnings.
    /// - Returns: A warning for an interval that has ended.
    package mutating func add(_ damage: [DecodingDamage], stream: Int, joins: Bool = false) -> [PipelineWarning] {
        if damage.isEmpty, joins || reports[stream] == nil { return [] }
        let warnings = reports[stream, default: DamageReport()].add(damage, isClean: damage.isEmpty)
        if damage.isEmpty { reports[stream] = nil }
        return warnings
    }

    /// Adds the damage detected at the end, and returns all remaining warnings.
    package mutating func finish(_ damage: [DecodingDamage]) -> [PipelineWarning] {
        defer { reports = [:] }
        var warnings = reports.sorted { $0.key < $1.key }.flatMap { entry in
            var report = entry.value
            return report.add([], isClean: true)
        }
        var last = DamageReport()
        warnings += last.add(damage, isClean: true)
        return warnings
    }
}
