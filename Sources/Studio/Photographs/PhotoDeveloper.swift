import MediaIO
public import Pipeline
import Platform
public import Reactions
import Synchronization

/// Finishes photographs of which a run delivered proxies (``PhotoOptions/deferredPhotoDelivery``).
///
/// ```swift
/// for finished in try await PhotoDeveloper().develop("moments") {
///     print(finished.path, finished.result)
/// }
/// ```
public final class PhotoDeveloper: Sendable {
    /// What became of one photograph.
    public struct Finished: Sendable {
        /// What became of it.
        public enum Result: Sendable {
            /// It took its proxy's place.
            case developed(Photo)
            /// Another program is at work on it.
            case busy
            /// The proxy stays, and so does what the photograph is made of.
            case failed(FlourishError)
        }

        /// The photograph's file; of what is none of Flourish's, that file.
        public var path: String
        /// What became of it.
        public var result: Result
    }

    private let stopped = Atomic(false)

    /// A developer.
    public init() {}

    /// Finishes all photographs of a folder and of the folders in it, one after another. Links to folders are not
    /// followed, and hidden ones are passed over.
    ///
    /// Several may work on one folder at a time, and a run may go on taking photographs into it. What is damaged or none
    /// of Flourish's is told and stays as it is.
    ///
    /// - Parameters:
    ///   - folder: the photographs'.
    ///   - overwrite: whether a photograph takes the place of a proxy, too, that was changed or removed.
    ///   - observer: told of each when it is done.
    /// - Returns: all of them.
    /// - Throws: ``FlourishError``, where the folder is not there or cannot be read.
    @discardableResult
    public func develop(
        _ folder: String, overwrite: Bool = false, observer: @escaping @Sendable (Finished) -> Void = { _ in }
    ) async throws(FlourishError) -> [Finished] {
        let result = await StageThread.run { [self] () throws(FlourishError) in
            var all: [Finished] = []
            try work(folder, overwrite) { finished in
                all.append(finished)
                observer(finished)
            }
            return all
        }
        return try result.get()
    }

    /// Ends the work after the photograph that is being made.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// Whether somebody ended the work.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }

    private func work(_ folder: String, _ overwrite: Bool, _ tell: (Finished) -> Void) throws(FlourishError) {
        guard TemporaryFile.isFolder(folder) else {
            throw FlourishError(.inputUnavailable, "\(folder): is not there, or no folder")
        }
        let processor = PhotoProcessor()
        try work(folder, overwrite, processor, tell)
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        for folder in Self.folders(in: path, tell) where !isStopped {
            do throws(FlourishError) { try work(folder, overwrite, processor, tell) } catch {
                // The others may be read all the same.
                tell(Finished(path: folder, result: .failed(error)))
            }
        }
    }

    /// The folders in a folder, and those in them, by their names.
    private static func folders(in folder: String, _ tell: (Finished) -> Void) -> [String] {
        let names: [[UInt8]]
        do throws(RawFileError) { names = try RawFile.names(in: Array(folder.utf8)) } catch {
            let problem = FlourishError(.inputUnavailable, "\(folder): cannot be read (\(error.message))")
            tell(Finished(path: folder, result: .failed(problem)))
            return []
        }
        // Flourish makes no others.
        return names.compactMap { String(validating: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix(".") }
            .map { (folder.hasSuffix("/") ? folder : folder + "/") + $0 }
            .filter(FileKind.isOwnFolder)
            .flatMap { [$0] + folders(in: $0, tell) }
    }

    private func work(
        _ folder: String, _ overwrite: Bool, _ processor: PhotoProcessor, _ tell: (Finished) -> Void
    ) throws(FlourishError) {
        guard let negatives = try NegativeFolder(of: folder, making: false) else { return }
        let (names, foreign) = try negatives.contents()
        for path in foreign {
            tell(
                Finished(
                    path: path,
                    result: .failed(
                        FlourishError(.inputUnusable, "\(path): is nothing that a photograph can be made of"))))
        }
        for name in names where !isStopped {
            guard negatives.claim(name) else {
                tell(Finished(path: negatives.photo(name), result: .busy))
                continue
            }
            defer { negatives.release(name) }
            // Another has finished it since the folder was looked at.
            guard FileKind.of(negatives.negative(name)) != nil else { continue }
            let start = MonotonicClock.now
            let result: Finished.Result
            do throws(FlourishError) {
                result = .developed(try negatives.develop(name, processor, overwrite: overwrite))
            } catch {
                result = .failed(error)
            }
            LifeSign.note(step: MonotonicClock.now - start)
            tell(Finished(path: negatives.photo(name), result: result))
        }
    }
}
