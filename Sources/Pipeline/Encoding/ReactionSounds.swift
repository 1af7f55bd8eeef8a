import Effects
import MediaIO
import Reactions

/// Mixes the sounds of a run's effects into its first sound track. All other tracks are copied.
///
/// A packet of sound waits until the effects at its time are known, which the video's packets indicate.
///
/// Used by one thread at a time.
final class ReactionSounds: @unchecked Sendable {
    private let splicer: SoundSplicer
    private let sounds: [String: EffectSound]
    private let outlet: EventEmitter
    private let level: Double
    private let seed: UInt64
    /// The number of effects whose sounds were added.
    private var added = 0
    private var files: [String: [Float]] = [:]
    private var hasWarned = false

    /// - Returns: nil if no sounds are wanted, or none can be mixed; then a warning states the reason.
    init?(
        _ configuration: Configuration, _ demuxer: Demuxer, _ muxer: Muxer, _ sounds: [String: EffectSound],
        _ outlet: EventEmitter
    ) {
        guard configuration.soundLevel > 0 else { return nil }
        func warn(_ reason: String) {
            outlet.emit(PipelineWarning(code: .soundsNotMixed, message: "reactions have no sounds: \(reason)"))
        }
        if configuration.isLive {
            warn("a live run passes sound on at once")
            return nil
        }
        guard let track = demuxer.streams.first(where: { $0.kind == .audio && muxer.copies(stream: $0.index) }) else {
            warn("the output has no sound track, and none is added")
            return nil
        }
        do throws(SoundUnavailable) { splicer = try SoundSplicer(demuxer, stream: track.index) } catch {
            warn(error.message)
            return nil
        }
        (self.sounds, self.outlet) = (sounds, outlet)
        (level, seed) = (configuration.soundLevel, configuration.seed)
    }

    /// The index of the stream in its file.
    var streamIndex: Int { splicer.streamIndex }

    /// The intervals of sound that were encoded again.
    var intervals: [ReactionEvent.SoundInterval] {
        splicer.encodedIntervals.map { .init(startTime: $0.lowerBound, endTime: $0.upperBound) }
    }

    /// Adds a packet of the track.
    func push(_ packet: consuming Packet) { splicer.push(packet) }

    /// Returns the packets of the track that no later effect can change.
    ///
    /// - Parameter time: All effects before this time, in seconds, have started.
    func release(until time: Double) -> [QueuedPacket] {
        for effect in outlet.startedEffects(from: added) {
            added += 1
            guard let samples = samples(of: effect) else { continue }
            splicer.add(
                MixedSound(
                    start: effect.startTime, samples: samples.map { $0 * Float(level) },
                    balance: Float(effect.origin.x - 0.5) * Self.width))
        }
        let ready = splicer.release(until: time)
        if let fault = splicer.fault, !hasWarned {
            hasWarned = true
            warn("the sound is left as it is from here on, since \(fault)")
        }
        return ready
    }

    /// The direction of a sound at the picture's edge: sounds stay near the middle.
    private static let width: Float = 0.8

    /// Returns the samples of an effect's sound; nil if it has none.
    private func samples(of effect: ReactionEvent.EffectDetail) -> [Float]? {
        switch sounds[effect.reactionType.rawValue] {
        case nil: return nil
        case .synthesised(let sound):
            return sound.samples(rate: splicer.sampleRate, seed: seed &+ UInt64(effect.id))
        case .file(let path):
            if let known = files[path] { return known }
            do throws(MediaError) {
                files[path] = try SoundFile.samples(of: path, rate: splicer.sampleRate)
            } catch {
                files[path] = []
                warn(error.description)
            }
            return files[path]
        }
    }

    private func warn(_ message: String) {
        outlet.emit(PipelineWarning(code: .soundsNotMixed, message: message))
    }
}
