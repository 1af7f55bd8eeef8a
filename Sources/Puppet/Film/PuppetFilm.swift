internal import Dispatch
package import FoundationEssentials
internal import MediaIO
import Platform
package import Raster

/// Renders a script to a video file, and writes the script's ground truth beside it, for the demo and the tests. The
/// command `puppet` uses it.
package struct PuppetFilm: Sendable {
    package let director: any PuppetStage
    /// The number of drawing threads.
    package var threads: Int
    /// True if the film has a sound track.
    package var hasSound = true
    /// The video encoder's constant quality.
    package var crf = 20.0

    /// - Throws: ``PuppetError`` if the script requests something impossible.
    package init(
        script: PuppetScript, threads: Int = Machine.cores
    ) throws(PuppetError) {
        director = try PuppetDirector(script: script)
        self.threads = max(1, threads)
    }

    /// - Throws: ``PuppetError`` if the gallery requests something impossible.
    package init(gallery: PuppetGallery, threads: Int = Machine.cores) throws(PuppetError) {
        director = try PuppetGalleryDirector(gallery: gallery)
        self.threads = max(1, threads)
    }

    /// Returns the path of a film's truth: `call.mp4` has `call.truth.json` beside it.
    package static func truthPath(for path: String) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[name...].lastIndex(of: ".") ?? path.endIndex
        return path[..<dot] + ".truth.json"
    }

    /// Draws and encodes the whole call (H.264, and AAC if the container supports it).
    ///
    /// The same script gives the same pictures on every machine.
    /// - Parameters:
    ///   - path: The film; its extension chooses the container.
    ///   - truthPath: The path of the truth; by default next to the film.
    ///   - overwrite: Whether existing files are replaced.
    ///   - progress: Called after some frames, with the number of drawn frames and of all frames.
    /// - Throws: ``PuppetError`` or the error of writing media.
    package func render(
        to path: String, truthPath: String? = nil, overwrite: Bool = false,
        progress: ((_ done: Int, _ total: Int) -> Void)? = nil
    ) throws {
        guard let container = ContainerFormat(path: path) else {
            throw PuppetError(.unwritableFilm, "\(path): unknown output format; use an extension such as .mp4")
        }
        let truth = truthPath ?? Self.truthPath(for: path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Removes temporary files of a killed run.
        for name in [path, truth] { _ = TemporaryFile.removeLeftovers(of: name) }
        // The truth is written first, so that a path that cannot be written fails before anything is drawn.
        let unfinished = try TemporaryFile.fill(Array(director.truth(by: encoder)), for: truth)
        do { try encode(to: path, container, overwrite: overwrite, progress: progress) } catch {
            TemporaryFile.remove(unfinished)
            throw error
        }
        try TemporaryFile.publish(unfinished, as: truth, overwrite: overwrite)
    }

    private func encode(
        to path: String, _ container: ContainerFormat, overwrite: Bool, progress: ((Int, Int) -> Void)?
    ) throws {
        let script = director.script
        let rate = Rational(Int32((script.rate * 1000).rounded()), 1000)
        let pool = FramePool()
        let video = VideoEncoder(
            settings: VideoEncoderSettings(crf: crf, preset: "veryfast"),
            source: VideoStreamInfo(width: script.width, height: script.height, frameRate: rate),
            container: container, path: path, pool: pool)
        let audio =
            hasSound && AudioEncoder.fits(container)
            ? try AudioEncoder(sampleRate: SoundTrack.sampleRate, container: container, path: path) : nil
        let muxer = try Muxer(path: path, Muxer.Options(overwrite: overwrite), audio: audio)
        let writer = VideoWriter(encoder: video, muxer: muxer)
        let sound = SoundTrack(script: script, seed: director.seed)
        var samplesDone = 0
        var next = 0
        while next < script.frameCount {
            let batch = next..<min(next + threads * 2, script.frameCount)
            for drawn in draw(batch, pool: pool) {
                try writer.write(try drawn.finish())
            }
            next = batch.upperBound
            if let audio {
                let end = Int(Double(next) / script.rate * Double(SoundTrack.sampleRate))
                audio.send(sound.samples(samplesDone..<end))
                samplesDone = end
                while let packet = try audio.receive() { try muxer.write(packet) }
            }
            progress?(next, script.frameCount)
        }
        try writer.finish()
        audio?.finish()
        while let packet = try audio?.receive() { try muxer.write(packet) }
        try muxer.finish()
    }

    /// Draws some frames in parallel.
    private func draw(_ frames: Range<Int>, pool: FramePool) -> [DrawnFrame] {
        let drawn = frames.map { _ in DrawnFrame() }
        DispatchQueue.concurrentPerform(iterations: drawn.count) { i in
            drawn[i].draw(frames.lowerBound + i, of: director, pool: pool)
        }
        return drawn
    }
}

/// Carries a frame, which is noncopyable, out of the thread that drew it. Used by one thread at a time.
private final class DrawnFrame: @unchecked Sendable {
    private var frame: VideoFrame?
    private var failure: (any Error)?

    func draw(_ index: Int, of director: any PuppetStage, pool: FramePool) {
        let base = Rational(1000, Int32((director.script.rate * 1000).rounded()))
        do {
            var fresh = try VideoFrame(
                format: director.format, time: MediaTime(value: Int64(index), timeBase: base),
                duration: MediaTime(value: 1, timeBase: base), pool: pool)
            try fresh.withMutablePicture(pool: pool) { director.draw(frame: index, into: &$0) }
            frame = consume fresh
        } catch {
            failure = error
        }
    }

    func finish() throws -> VideoFrame {
        if let failure { throw failure }
        guard let taken = frame.take() else { preconditionFailure("a frame is taken once, after it was drawn") }
        return taken
    }
}

/// The sound of the call: a murmur that follows the puppet's mouth, and a soft blip whenever a pose is reached, for
/// checking the synchronisation of sound and picture.
private struct SoundTrack: Sendable {
    static let sampleRate = 48_000

    let voice: PuppetVoice
    /// The times of the blips in seconds.
    let blips: [Double]

    init(script: PuppetScript, seed: UInt32) {
        voice = PuppetVoice(seed: seed)
        blips = script.cues.map(\.time).sorted()
    }

    /// Returns the samples `range`, counted from the call's beginning; −1…1, one channel.
    func samples(_ range: Range<Int>) -> [Float] {
        range.map { index in
            let time = Double(index) / Double(Self.sampleRate)
            return Float(murmur(at: time) + blip(at: time))
        }
    }

    private func murmur(at time: Double) -> Double {
        let loudness = voice.openness(at: time)
        guard loudness > 0.01 else { return 0 }
        // The pitch glides between 105 and 135 Hz; its integral gives the phase.
        let turn = 2 * Double.pi * (120 * time - 15 / 2.1 * cosine(2.1 * time) / (2 * Double.pi))
        let tone =
            sine(turn) + 0.5 * sine(2 * turn) + 0.45 * loudness * sine(3 * turn)
            + 0.3 * loudness * sine(5 * turn) + 0.08 * sine(9 * turn)
        return 0.045 * loudness * tone
    }

    private func blip(at time: Double) -> Double {
        for start in blips where time >= start && time < start + 0.25 {
            let t = time - start
            let attack = min(1, t / 0.004)
            return 0.16 * attack * Double(exponential(Float(-t * 18))) * sine(2 * Double.pi * 1046.5 * t)
        }
        return 0
    }
}

/// Draws the pictures of a film with one caller or several, and knows the film's ground truth. ``PuppetFilm`` calls it
/// on several threads at once.
package protocol PuppetStage: Sendable {
    /// The film's size, rate, duration and poses.
    var script: PuppetScript { get }
    var format: PictureFormat { get }
    /// The seed of the voice on the sound track.
    var seed: UInt32 { get }

    /// Draws a frame over the whole of a picture in the stage's format.
    func draw(frame: Int, into picture: inout MutablePicture)

    /// Encodes the ground truth.
    func truth(by encoder: JSONEncoder) throws -> Data
}

extension PuppetDirector: PuppetStage {
    package var seed: UInt32 { appearance.seed }

    package func truth(by encoder: JSONEncoder) throws -> Data { try encoder.encode(truth) }
}

extension PuppetGalleryDirector: PuppetStage {
    package var script: PuppetScript { gallery.script }
    package var seed: UInt32 { 1 }

    package func truth(by encoder: JSONEncoder) throws -> Data { try encoder.encode(truth) }
}

extension PuppetFilm {
    /// Reads the script of a call with one caller or several.
    /// - Throws: ``PuppetError`` if the script cannot be read, or requests something impossible.
    package init(path: String) throws(PuppetError) {
        if let gallery = try PuppetGallery(path: path) {
            try self.init(gallery: gallery)
        } else {
            try self.init(script: PuppetScript(path: path))
        }
    }
}
