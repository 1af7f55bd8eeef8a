import MediaIO
public import Pipeline
import Platform
public import Reactions

/// Captures photographs from a recording, which it reads on a separate thread. The photographs are returned in memory;
/// nothing is written.
///
/// ```swift
/// let photographer = RecordingPhotographer()
/// let settings = PhotoSettings(.jpeg, photoQualityPrioritization: .quality)
/// let photo = try await photographer.photo(of: "call.mp4", at: 90.2, with: settings)
/// ```
public final class RecordingPhotographer: Sendable {
    private let configuration: Configuration
    private let interrupt = InterruptFlag()

    /// Creates a photographer that reads recordings as a session with this configuration does.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Returns the photograph of an instant, fused from the frames around it.
    ///
    /// - Parameters:
    ///   - input: A video, or an image.
    ///   - time: The seconds from the first picture. The picture shown at this time is captured.
    ///   - settings: The settings of the photograph.
    ///   - warning: Called with one line for each defect in the parts of the recording that were read.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/usage`` for a time before the start or after the
    ///   end, and ``FlourishError/Code/inputUnusable`` for a time after the point at which the recording is truncated.
    public func photo(
        of input: String, at time: Double, with settings: PhotoSettings = PhotoSettings(),
        warning: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(FlourishError) -> Photo {
        try Self.check(time)
        return try await onThread(input, warning) { reader in
            try Self.photo(reader, input, at: time, settings)
        }
    }

    /// Returns the photograph of the best instant of an interval: the sharpest instant with the least motion, and with
    /// faces if there are any.
    ///
    /// ```swift
    /// let photo = try await RecordingPhotographer().bestPhoto(of: "call.mp4", from: 60, to: 75)
    /// try photo.write(to: "best.jpg")
    /// ```
    ///
    /// - Parameters:
    ///   - input: A video.
    ///   - start: The seconds from the first picture.
    ///   - end: The seconds from the first picture; the recording's end if `nil`.
    ///   - settings: The settings of the photograph.
    ///   - warning: Called with one line for each defect in the parts of the recording that were read.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/usage`` for an interval without a picture.
    public func bestPhoto(
        of input: String, from start: Double = 0, to end: Double? = nil, with settings: PhotoSettings = PhotoSettings(),
        warning: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(FlourishError) -> Photo {
        try Self.check(start)
        if let end { try Self.check(end) }
        let resources = configuration.resources ?? .located()
        return try await onThread(input, warning) { reader in
            var best = BestInstant()
            try reader.scan(from: start, to: end) { frame, time in
                best.add(frame, at: time)
                return true
            }
            let finder = FaceFinder(resources: resources)
            let found = try best.choice { time in
                try reader.moment(at: time, before: 0, after: 0).map { moment in
                    BestInstant.faces(in: moment.frames[moment.reference].frame, finder)
                }
            }
            if let blind = finder.warning("the best frame is chosen without face detection") {
                warning(blind.message)
            }
            guard let found else {
                if let early = reader.endedEarly {
                    throw FlourishError(.inputUnusable, "\(early.description), and has no frame in this interval")
                }
                throw FlourishError(.usage, "\(input): has no frame in this interval")
            }
            var photo = try Self.photo(reader, input, at: found.time, settings)
            photo.choice = found.choice
            return photo
        }
    }

    /// Stops reading.
    public func stop() { interrupt.raise() }

    private static func check(_ time: Double) throws(FlourishError) {
        guard (0...InputOptions.latestTime).contains(time) else {
            throw FlourishError(.usage, "\(time) is not a time in a recording; give 0 or more seconds")
        }
    }

    private static func photo(
        _ reader: MomentReader, _ input: String, at time: Double, _ settings: PhotoSettings
    ) throws -> Photo {
        let quality = settings.photoQualityPrioritization
        let others = quality.maxFrameCount - 1
        // At the beginning or the end of the recording, all neighbours may be on one side.
        guard let moment = try reader.moment(at: time, before: others, after: others) else {
            throw FlourishError(
                .inputUnusable,
                "\(reader.endedEarly.map { "\($0.description), and" } ?? "\(input):") has no frame at \(time.milliseconds.plainText) s"
            )
        }
        let shown = moment.frames[moment.reference]
        let seconds = shown.frame.time.seconds - reader.start
        let rest = time - seconds - (shown.frame.duration?.seconds ?? 0.1)
        if let early = reader.endedEarly, rest > 0 {
            throw FlourishError(
                .inputUnusable, "\(early.description), and has no frame at \(time.milliseconds.plainText) s")
        }
        if let duration = reader.duration, rest > 0, time > duration {
            throw FlourishError(
                .usage,
                "\(input): lasts \(duration.milliseconds.plainText) s, and has no frame at \(time.milliseconds.plainText) s"
            )
        }
        var metadata = StillMetadata(recording: reader.metadata, at: seconds)
        metadata.software = "Flourish"
        metadata.comment = #"{"time":\#(seconds.milliseconds.plainText)}"#
        var photo = try PhotoProcessor().photo(of: moment, settings, metadata: metadata)
        photo.time = seconds
        return photo
    }

    private func onThread(
        _ input: String, _ warning: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (MomentReader) throws -> Photo
    ) async throws(FlourishError) -> Photo {
        let result = await StageThread.run { [configuration, interrupt] () throws(FlourishError) in
            do {
                let reader = try MomentReader(input, configuration, interrupt: interrupt)
                let photo = try body(reader)
                for line in reader.warnings { warning(line) }
                return photo
            } catch {
                throw FlourishError(describing: error)
            }
        }
        return try result.get()
    }
}
