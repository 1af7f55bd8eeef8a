internal import Dispatch
internal import FoundationEssentials
internal import MediaIO
import Platform
internal import Raster

/// Makes a video file of a script, and writes its truth beside it.
package struct PuppetFilm: Sendable {
    package let director: PuppetDirector
    /// Threads that draw.
    package var threads: Int
    /// Whether the film has a sound track.
    package var hasSound = true
    /// The video encoder's constant quality.
    package var crf = 20.0

    /// - Throws: ``PuppetError`` if the script asks for something impossible.
    package init(
        script: PuppetScript, threads: Int = Machine.cores
    ) throws(PuppetError) {
        director = try PuppetDirector(script: script)
        self.threads = max(1, threads)
    }

    /// Where the truth of a film lies: `call.mp4` has `call.truth.json` beside it.
    package static func truthPath(for path: String) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[name...].lastIndex(of: ".") ?? path.endIndex
        return path[..<dot] + ".truth.json"
    }

    /// Draws and encodes the whole call (H.264, and AAC where the container can hold it).
    ///
    /// The same script gives the same pictures on every machine.
    /// - Parameters:
    ///   - path: the film; its extension chooses the container.
    ///   - truthPath: where the truth is written; beside the film by default.
    ///   - overwrite: whether files are replaced that have the names by then.
    ///   - progress: called after some frames with the number done and of all.
    /// - Throws: ``PuppetError`` or the error of writing media.
    package func render(
        to path: String, truthPath: String? = nil, overwrite: Bool = false,
        progress: ((_ done: Int, _ total: Int) -> Void)? = nil
    ) throws {
        guard let container = ContainerFormat(path: path) else {
            throw PuppetError(.unwritableFilm, "\(path): the name must end in the kind of file to write, such as .mp4")
        }
        let truth = truthPath ?? Self.truthPath(for: path)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Those of a killed run.
        for name in [path, truth] { _ = TemporaryFile.removeLeftovers(of: name) }
        // First, so that nothing is drawn where it has no place.
        let unfinished = try TemporaryFile.fill(Array(encoder.encode(director.truth)), for: truth)
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
        let muxer = try Muxer(path: path, overwrite: overwrite, audio: audio)
        let writer = VideoWriter(encoder: video, muxer: muxer)
        let sound = SoundTrack(script: script, seed: director.look.seed)
        var samplesDone = 0
        var next = 0
        while next < script.frameCount {
            let batch = next..<min(next + threads * 2, script.frameCount)
            for drawn in draw(batch, pool: pool) {
                try writer.write(try drawn.take())
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

    /// Draws some frames at once, each on a thread of its own.
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

    func draw(_ index: Int, of director: PuppetDirector, pool: FramePool) {
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

    func take() throws -> VideoFrame {
        if let failure { throw failure }
        guard let taken = frame.take() else { preconditionFailure("a frame is taken once, after it was drawn") }
        return taken
    }
}
