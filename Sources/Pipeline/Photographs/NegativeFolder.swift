import FoundationEssentials
import MediaIO
import Platform
package import Reactions

/// The photographs of a folder that are not finished: what each is made of lies in `.flourish/negatives` there, under the
/// photograph's own name.
///
/// Who works on one holds a lock for that, which ends with its process however that ends.
package final class NegativeFolder: Sendable {
    /// The photographs' folder, with a slash at its end.
    private let folder: String
    private let lock: RegionLock

    private static let place = ".flourish/negatives/"
    private static let ending = ".negative"

    /// - Parameters:
    ///   - folder: the photographs'.
    ///   - isMade: whether the place for negatives is made where there is none.
    /// - Returns: `nil` where there is none, and none is made.
    package init?(of folder: String, making isMade: Bool) throws(FlourishError) {
        self.folder = folder.hasSuffix("/") ? folder : folder + "/"
        do throws(RawFileError) {
            let place = Array((self.folder + Self.place).utf8.dropLast())
            if isMade {
                try RawFile.makeFolder(place)
            } else if case .failure(let error) = RawFile.status(place) {
                if error.number == ENOENT || error.number == ENOTDIR { return nil }
                throw error
            }
            lock = RegionLock(
                descriptor: try RawFile.open(Array((self.folder + ".flourish/lock").utf8), O_RDWR | O_CREAT))
        } catch {
            var failure = FlourishError(
                .outputUnavailable, "\(folder): what photographs are made of cannot be kept there (\(error.message))")
            failure.isDiskFull = error.number == ENOSPC
            throw failure
        }
    }

    /// What there is, each sorted by its name.
    ///
    /// - Returns: the names of the photographs that have a negative, and the paths of files that are none.
    package func contents() throws(FlourishError) -> (names: [String], foreign: [String]) {
        let all: [[UInt8]]
        do throws(RawFileError) { all = try RawFile.names(in: Array((folder + Self.place).utf8)) } catch {
            throw FlourishError(.inputUnavailable, "\(folder)\(Self.place): cannot be read (\(error.message))")
        }
        var names: [String] = [], foreign: [String] = []
        for bytes in all {
            let file = String(decoding: bytes, as: UTF8.self)
            let name = String(file.dropLast(Self.ending.count))
            if Array(file.utf8) == bytes, file.hasSuffix(Self.ending), StillFormat(path: name) != nil,
                !name.hasPrefix(".")
            {
                names.append(name)
            } else if bytes.first == RawFile.dot, file.contains(".partial-") {
                // Grows now, or was left by a process that was killed.
                removeLeftover(file)
            } else {
                foreign.append(folder + Self.place + file)
            }
        }
        return (names, foreign)
    }

    private func removeLeftover(_ file: String) {
        guard let end = file.firstRange(of: Self.ending + ".partial-") else { return }
        let name = file[..<end.lowerBound].dropFirst() + Self.ending
        _ = TemporaryFile.removeLeftovers(of: folder + Self.place + name)
    }

    /// Where a photograph is.
    package func photo(_ name: String) -> String { folder + name }

    /// Where what it is made of is.
    package func negative(_ name: String) -> String { folder + Self.place + name + Self.ending }

    /// Takes a photograph to work on; `false` where somebody else does.
    package func claim(_ name: String) -> Bool { lock.take(Self.region(name)) }

    /// Gives it back.
    package func release(_ name: String) { lock.release(Self.region(name)) }

    private static func region(_ name: String) -> Int64 { RegionLock.region(Array("negatives/\(name)".utf8)) }
}

extension NegativeFolder {
    /// Puts a proxy under a photograph's name, and what the photograph is made of beside it.
    ///
    /// The negative comes first: whoever is killed between leaves one without a proxy, and no proxy that nothing can be
    /// made of.
    ///
    /// - Returns: whether the name was free.
    func store(
        _ proxy: [UInt8], _ header: Negative.Header, _ moment: CapturedMoment, as name: String, overwrite: Bool
    ) throws -> Bool {
        if !overwrite, FileKind.of(photo(name)) != nil || FileKind.of(negative(name)) != nil { return false }
        let hidden = try Negative.fill(header, moment, for: negative(name))
        do { try TemporaryFile.publish(hidden, as: negative(name), overwrite: true) } catch {
            TemporaryFile.remove(hidden)
            throw error
        }
        do { try TemporaryFile.write(proxy, to: photo(name), overwrite: overwrite) } catch {
            RawFile.remove(Array(negative(name).utf8))
            throw error
        }
        return true
    }

    /// Makes the photograph, puts it in its proxy's place, and removes what it was made of.
    ///
    /// - Parameter overwrite: whether that is done, too, where there is no proxy any more, or another file.
    /// - Precondition: it was claimed.
    /// - throws: ``FlourishError``.
    package func develop(
        _ name: String, _ processor: PhotoProcessor, overwrite: Bool
    ) throws(FlourishError) -> Photo {
        do {
            let negative = try Negative(reading: negative(name))
            if !overwrite { try check(negative.header.proxy, name) }
            var photo = try processor.photo(of: negative.moment, negative.settings, metadata: negative.header.metadata)
            if !overwrite { try check(negative.header.proxy, name) }
            photo.time = negative.header.time
            photo.path = self.photo(name)
            try TemporaryFile.write(photo.fileDataRepresentation, to: self.photo(name), overwrite: true)
            RawFile.remove(Array(self.negative(name).utf8))
            return photo
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Makes sure that the proxy is as it was.
    private func check(_ proxy: String, _ name: String) throws(FlourishError) {
        let path = photo(name)
        guard FileKind.of(path) != nil else {
            throw FlourishError(
                .inputUnusable, "\(path): was removed; if that was meant, remove \(negative(name)), too")
        }
        let found =
            FileKind.size(of: path) == nil ? nil : try? FileFingerprint.of(Array(path.utf8), interrupt: InterruptFlag())
        guard found == proxy else {
            throw FlourishError(
                .inputUnusable, "\(path): was changed, and so the better one does not take its place",
                remedy: .overwriting)
        }
    }
}

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
