import FoundationEssentials
import MediaIO
import Platform
package import Reactions

/// The frames and metadata from which a deferred photograph is made.
struct DeferredPhoto {
    /// The metadata stored with the frames.
    struct Header: Sendable, Codable {
        /// The index in ``frames`` of the frame that the photograph shows.
        var reference: Int
        var photoQualityPrioritization: PhotoQualityPrioritization
        var processedFileType: PhotoFileType
        var isFinishingEnabled: Bool
        var metadata: StillMetadata
        /// The time of the photograph, in seconds from the video's first picture.
        var time: Double
        /// The fingerprint of the proxy's file, which shows whether the file has changed since.
        var proxy: String
        var frames: [SampleLayout]
    }

    var header: Header
    var moment: CapturedMoment

    /// The maximum number of frames of a photograph.
    private static let maximumFrames = 64

    /// Writes a deferred photograph under a hidden name, from which it is published later.
    ///
    /// - Returns: the hidden path.
    /// - Throws: ``FileError``.
    static func fill(_ header: Header, _ moment: CapturedMoment, for path: String) throws -> String {
        var header = header
        header.frames = try moment.frames.map { try $0.frame.sampleLayout() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try FrameArchive.fill(
            for: path, header: Array(try encoder.encode(header)), count: moment.frames.count
        ) { moment.frames[$0].frame.samples() }
    }

    /// Reads a deferred photograph.
    ///
    /// - Throws: `MediaError` of the codes `notFound`, `unreadable`, `notMedia`, `damaged`, `internal`.
    init(reading path: String) throws {
        let reader = try FrameArchiveReader(path)
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(reader.header)),
            header.frames.count <= Self.maximumFrames, header.frames.indices.contains(header.reference)
        else { throw MediaError(.damaged, file: path, "\(path): has another version, or is damaged") }
        let pool = FramePool()
        var frames: [SharedPicture] = []
        for layout in header.frames { frames.append(SharedPicture(try reader.next(layout, pool: pool))) }
        try reader.finish()
        self.header = header
        moment = CapturedMoment(frames: frames, reference: header.reference)
    }

    /// The settings of the photograph.
    var settings: PhotoSettings {
        var settings = PhotoSettings(
            header.processedFileType, photoQualityPrioritization: header.photoQualityPrioritization)
        settings.isFinishingEnabled = header.isFinishingEnabled
        return settings
    }
}

/// The deferred photographs of a folder. Each is stored in `.flourish/negatives` in that folder, under the photograph's
/// own name.
///
/// A process locks the photograph that it processes. The lock ends with the process.
package final class DeferredPhotoStore: Sendable {
    /// The photographs' folder, with a trailing slash.
    private let folder: String
    private let lock: RegionLock

    private static let place = ".flourish/negatives/"
    private static let ending = ".negative"

    /// - Parameters:
    ///   - folder: the folder of the photographs.
    ///   - isMade: whether the store is created if it does not exist.
    /// - Returns: `nil` if the store does not exist, and is not created.
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
                .outputUnavailable,
                "\(folder): the frames of deferred photographs cannot be stored there (\(error.message))")
            failure.isDiskFull = error.number == ENOSPC
            throw failure
        }
    }

    /// Returns the contents of the store, each list sorted by name, and removes stale temporary files.
    ///
    /// - Returns: the names of deferred photographs, and the paths of other files.
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
                // Another process is writing the file, or a killed process has left it. Only in the latter case is it
                // removed.
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

    /// Returns the path of a photograph.
    package func photo(_ name: String) -> String { folder + name }

    /// Returns the path of the file from which a photograph is made.
    package func source(_ name: String) -> String { folder + Self.place + name + Self.ending }

    /// Locks a photograph; returns `false` if another process has locked it.
    package func claim(_ name: String) -> Bool { lock.acquire(Self.region(name)) }

    /// Unlocks a photograph.
    package func release(_ name: String) { lock.release(Self.region(name)) }

    private static func region(_ name: String) -> Int64 { RegionLock.region(Array("negatives/\(name)".utf8)) }
}

extension DeferredPhotoStore {
    /// Writes a proxy under a photograph's name, and stores the frames from which the photograph is made.
    ///
    /// The frames are written first. A process that is killed in between leaves frames without a proxy rather than a
    /// proxy without frames.
    ///
    /// - Returns: whether the name was free.
    func store(
        _ proxy: [UInt8], _ header: DeferredPhoto.Header, _ moment: CapturedMoment, as name: String, overwrite: Bool
    ) throws -> Bool {
        if !overwrite, FileKind.of(photo(name)) != nil || FileKind.of(source(name)) != nil { return false }
        let hidden = try DeferredPhoto.fill(header, moment, for: source(name))
        do { try TemporaryFile.publish(hidden, as: source(name), overwrite: true) } catch {
            TemporaryFile.remove(hidden)
            throw error
        }
        do { try TemporaryFile.write(proxy, to: photo(name), overwrite: overwrite) } catch {
            RawFile.remove(Array(source(name).utf8))
            throw error
        }
        return true
    }

    /// Creates the photograph, replaces its proxy, and removes the stored frames.
    ///
    /// - Parameter overwrite: whether the file is replaced even if the proxy was removed or changed.
    /// - Precondition: the caller has claimed the photograph.
    /// - Throws: ``FlourishError``.
    package func develop(
        _ name: String, _ processor: PhotoProcessor, overwrite: Bool
    ) throws(FlourishError) -> Photo {
        do {
            let deferred = try DeferredPhoto(reading: source(name))
            if !overwrite { try check(deferred.header.proxy, name) }
            var photo = try processor.photo(of: deferred.moment, deferred.settings, metadata: deferred.header.metadata)
            if !overwrite { try check(deferred.header.proxy, name) }
            photo.time = deferred.header.time
            photo.path = self.photo(name)
            try TemporaryFile.write(photo.fileDataRepresentation, to: self.photo(name), overwrite: true)
            RawFile.remove(Array(source(name).utf8))
            return photo
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Checks that the proxy has not changed.
    private func check(_ proxy: String, _ name: String) throws(FlourishError) {
        let path = photo(name)
        guard FileKind.of(path) != nil else {
            throw FlourishError(
                .inputUnusable, "\(path): was removed; to discard the photograph, also remove \(source(name))")
        }
        let found =
            FileKind.size(of: path) == nil ? nil : try? FileFingerprint.of(Array(path.utf8), interrupt: InterruptFlag())
        guard found == proxy else {
            throw FlourishError(
                .inputUnusable, "\(path): was changed, so the finished photograph does not replace it",
                remedy: .overwriting)
        }
    }
}
