internal import CFFmpeg
import Platform
internal import Raster

/// A picture of a file, or a video that repeats, as the background of another video.
///
/// A video begins at the first time that is asked for, and repeats from its end. It is decoded as time passes, so that
/// its length does not matter: two pictures are in memory, besides those of the decoder.
///
/// Used by one thread at a time.
package final class LoopingPicture {
    package let path: String
    /// The number of the picture that is shown, which is another one for each picture.
    package private(set) var number = 0
    private var reader: Reader
    private var shown: Reader.Picture
    /// The picture after it, and its time; `nil` if there is none.
    private var next: Reader.Picture?
    private var due: Double?
    /// True if the picture never changes.
    private var isStill: Bool
    /// The time at which the video's first picture was shown last, and that of the last call, in seconds.
    private var begin: Double?
    private var lastTime = 0.0

    /// The steps of time in seconds after which a video begins anew, as after a pause.
    private static let longestStep = 5.0
    /// The shortest time for which a picture is shown, in seconds.
    private static let shortest = 0.005
    /// Opens a file, and decodes its first picture.
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `isDirectory`, `empty`, `notMedia`, `damaged`,
    ///   `noVideo`, `tooLarge`, `invalidSettings`, `noDecoder`, `refused`, `io`, `internal`.
    package init(_ path: String) throws(MediaError) {
        guard case .file(let file) = MediaAddress(path), FileKind.of(file).map({ $0 == S_IFREG }) ?? true else {
            throw MediaError(
                .invalidSettings, file: path, "\(path): a background must be a file of pictures or a video")
        }
        self.path = path
        reader = try Reader(path)
        guard let first = try reader.read() else {
            throw MediaError(.damaged, file: path, "\(path): no picture of it can be decoded; choose another file")
        }
        guard !first.isHighRange else {
            throw MediaError(
                .invalidSettings, file: path,
                "\(path): backgrounds in high dynamic range are not supported; convert it to a standard one first")
        }
        if reader.isStill, let damage = reader.damage {
            throw MediaError(.damaged, file: path, "\(path): the picture is damaged (\(damage)); choose another file")
        }
        shown = first
        isStill = reader.isStill
        if !isStill { try readNext() }
    }

    private func readNext() throws(MediaError) {
        next = try reader.read()
        due = reader.time
    }

    /// Moves to the picture at a time.
    /// - Parameter time: In seconds. It should increase by less than five seconds at once; the video begins anew
    ///   otherwise.
    /// - throws: ``MediaError`` of the code `internal`. If the file can no longer be read, its last picture stays.
    package func advance(to time: Double) throws(MediaError) {
        if isStill { return }
        let step = time - lastTime
        lastTime = time
        if begin == nil {
            begin = time
        } else if step < 0 || step > Self.longestStep {
            guard try restart() else { return }
            begin = time
        }
        while let begin, !isStill {
            // A picture whose time is nearly reached is shown, since times are rounded.
            let position = time - begin + 0.001
            if let due {
                guard due <= position else { return }
                if let picture = next.take() { shown = picture }
                number += 1
                try readNext()
            } else {
                let end = max(shown.end, Self.shortest)
                guard end <= position else { return }
                guard try restart() else { return }
                self.begin = begin + end
            }
        }
    }

    /// Returns to the first picture.
    ///
    /// - Returns: False if that is not possible. The picture then never changes again.
    private func restart() throws(MediaError) -> Bool {
        guard let fresh = try? Reader(path), let first = try fresh.read() else {
            isStill = true
            return false
        }
        reader = fresh
        shown = first
        number += 1
        try readNext()
        if due == nil { isStill = true }
        return true
    }

    /// Lends the picture that is shown.
    func withPicture<R: ~Copyable>(
        _ body: (borrowing FrameHandle, DisplayGeometry) throws(MediaError) -> R
    ) throws(MediaError) -> R {
        try body(shown.frame, shown.geometry)
    }
}

/// Decodes a file once.
private final class Reader {
    /// A picture in the decoder's own format, its time and its end, in seconds after the first picture.
    struct Picture: ~Copyable {
        let frame: FrameHandle
        let time: Double
        let end: Double
        let geometry: DisplayGeometry

        /// True if the picture has a high dynamic range.
        var isHighRange: Bool { TransferFunction(frame.color_trc) != .sdr }
    }

    private let demuxer: Demuxer
    private let decoder: VideoDecoder
    private var firstTime: MediaTime?
    /// The time of the picture that was read last; `nil` at the end.
    private(set) var time: Double?
    private var hasEnded = false

    /// The threads of a video's decoder.
    private static let threads = 2

    var isStill: Bool { demuxer.isStillImage }

    init(_ path: String) throws(MediaError) {
        demuxer = try Demuxer(path: path)
        demuxer.readOnly(stream: demuxer.video.index)
        decoder = try VideoDecoder(demuxer, threads: demuxer.isStillImage ? 1 : Self.threads)
    }

    /// The damage of what was read so far; `nil` if there is none.
    var damage: String? { decoder.dequeueDamage().first?.detail }

    /// Returns the next picture; `nil` at the end.
    func read() throws(MediaError) -> Picture? {
        while true {
            if let frame = try decoder.receiveDecoded() { return picture(frame) }
            if hasEnded {
                time = nil
                return nil
            }
            if let packet = try? demuxer.readVideoPacket() {
                try decoder.send(packet)
            } else {
                try decoder.finish()
                hasEnded = true
            }
        }
    }

    private func picture(_ frame: consuming FrameHandle) -> Picture {
        let time = decoder.place(frame)
        let first = firstTime ?? time
        firstTime = first
        let begin = (time - first).seconds
        self.time = begin
        let rate = demuxer.video.averageFrameRate
        let ticks = frame.duration
        let duration =
            ticks > 0
            ? MediaTime(value: ticks, timeBase: demuxer.video.timeBase).seconds
            : rate.isPositive ? 1 / rate.value : 0.04
        let ratio = Rational(frame.sample_aspect_ratio)
        let geometry = DisplayGeometry(
            storedWidth: Int(frame.width), storedHeight: Int(frame.height),
            sampleAspectRatio: ratio.isPositive ? ratio.value : 1, orientation: decoder.orientation(of: frame))
        return Picture(frame: frame, time: begin, end: begin + duration, geometry: geometry)
    }
}
