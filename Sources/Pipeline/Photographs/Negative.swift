import FoundationEssentials
import MediaIO
import Platform
import Reactions

/// What a photograph is made of once there is time for it: its frames, and all that its file is to tell.
struct Negative {
    /// What is kept beside the frames.
    struct Header: Sendable, Codable {
        /// Of the photograph; the frame that it shows, of ``frames``.
        var reference: Int
        var photoQualityPrioritization: PhotoQualityPrioritization
        var processedFileType: PhotoFileType
        var isFinishingEnabled: Bool
        var metadata: StillMetadata
        /// When it was taken, in seconds from the video's first picture on.
        var time: Double
        /// The hash of the proxy, by which it is known again.
        var proxy: String
        var frames: [SampleLayout]
    }

    var header: Header
    var moment: CapturedMoment

    /// More frames than this no photograph is made of.
    private static let mostFrames = 64

    /// Puts a negative under a hidden name, which takes its own once it is published.
    ///
    /// - throws: ``FileError``.
    static func fill(_ header: Header, _ moment: CapturedMoment, for path: String) throws -> String {
        var header = header
        header.frames = try moment.frames.map { try $0.frame.sampleLayout() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try FrameArchive.fill(
            for: path, header: Array(try encoder.encode(header)), count: moment.frames.count
        ) { moment.frames[$0].frame.samples() }
    }

    /// Reads a negative.
    ///
    /// - throws: `MediaError` of the codes `notFound`, `unreadable`, `notMedia`, `damaged`, `internal`.
    init(reading path: String) throws {
        let reader = try FrameArchiveReader(path)
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(reader.header)),
            header.frames.count <= Self.mostFrames, header.frames.indices.contains(header.reference)
        else { throw MediaError(.damaged, file: path, "\(path): is of another version, or damaged") }
        let pool = FramePool()
        var frames: [SharedPicture] = []
        for layout in header.frames { frames.append(SharedPicture(try reader.next(layout, pool: pool))) }
        try reader.finish()
        self.header = header
        moment = CapturedMoment(frames: frames, reference: header.reference)
    }

    /// What is asked of the photograph.
    var settings: PhotoSettings {
        var settings = PhotoSettings(
            header.processedFileType, photoQualityPrioritization: header.photoQualityPrioritization)
        settings.isFinishingEnabled = header.isFinishingEnabled
        return settings
    }
}
