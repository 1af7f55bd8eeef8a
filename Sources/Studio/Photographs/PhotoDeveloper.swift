import MediaIO
public import Pipeline
import Platform
public import Reactions
import Synchronization

/// Finishes deferred photographs, for which a run has delivered proxies (``PhotoOptions/deferredPhotoDelivery``), and
/// replaces the proxies. Works on a separate thread.
///
/// ```swift
/// for finished in try await PhotoDeveloper().develop("moments") {
///     print(finished.path, finished.result)
/// }
/// ```
public final class PhotoDeveloper: Sendable {
    /// The result of one photograph.
    public struct Finished: Sendable {
        /// The kind of result.
        public enum Result: Sendable {
            /// The photograph replaced its proxy.
            case developed(Photo)
            /// Another program is processing it.
            case busy
            /// The photograph failed; the proxy and the photograph's frames are kept.
            case failed(FlourishError)
        }

        /// The path of the photograph, or of a file that is no photograph.
        public var path: String
        /// The result.
        public var result: Result
    }

    private let stopped = Atomic(false)

    /// Creates a developer.
    public init() {}

    /// Finishes all photographs of a folder and of the folders in it, one after another. Links to folders are not
    /// followed, and hidden folders are ignored.
    ///
    /// Several developers may process one folder at the same time, and a run may continue to capture photographs into
    /// it. Damaged files and files that are no photographs are reported, and not changed.
    ///
    /// ```swift
    /// let developer = PhotoDeveloper()
    /// try await developer.develop("moments", overwrite: true) { print($0.path) }
    /// ```
    ///
    /// - Parameters:
    ///   - folder: The photographs' folder.
    ///   - overwrite: Whether a photograph also replaces a proxy that was changed or removed.
    ///   - observer: Called after each photograph.
    /// - Returns: The results of all photographs.
    /// - Throws: ``FlourishError`` if the folder does not exist or cannot be read.
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

    /// Stops after the current photograph.
    public func stop() { stopped.store(true, ordering: .relaxed) }

    /// True if ``stop()`` was called.
    public var isStopped: Bool { stopped.load(ordering: .relaxed) }

    private func work(_ folder: String, _ overwrite: Bool, _ report: (Finished) -> Void) throws(FlourishError) {
        guard TemporaryFile.isFolder(folder) else {
            throw FlourishError(.inputUnavailable, "\(folder): no such folder")
        }
        let processor = PhotoProcessor()
        try work(folder, overwrite, processor, report)
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        for folder in Self.folders(in: path, report) where !isStopped {
            do throws(FlourishError) { try work(folder, overwrite, processor, report) } catch {
                // The other photographs may be readable.
                report(Finished(path: folder, result: .failed(error)))
            }
        }
    }

    /// Returns the folders in a folder and their subfolders, sorted by name.
    private static func folders(in folder: String, _ report: (Finished) -> Void) -> [String] {
        let names: [[UInt8]]
        do throws(RawFileError) { names = try RawFile.names(in: Array(folder.utf8)) } catch {
            let problem = FlourishError(.inputUnavailable, "\(folder): cannot be read (\(error.message))")
            report(Finished(path: folder, result: .failed(problem)))
            return []
        }
        // Names that are not UTF-8 are skipped: Flourish creates no such folders.
        return names.compactMap { String(validating: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix(".") }
            .map { (folder.hasSuffix("/") ? folder : folder + "/") + $0 }
            .filter(FileKind.isOwnFolder)
            .flatMap { [$0] + folders(in: $0, report) }
    }

    private func work(
        _ folder: String, _ overwrite: Bool, _ processor: PhotoProcessor, _ report: (Finished) -> Void
    ) throws(FlourishError) {
        guard let store = try DeferredPhotoStore(of: folder, making: false) else { return }
        let (names, foreign) = try store.contents()
        for path in foreign {
            report(
                Finished(
                    path: path,
                    result: .failed(
                        FlourishError(.inputUnusable, "\(path): is not a deferred photograph"))))
        }
        for name in names where !isStopped {
            guard store.claim(name) else {
                report(Finished(path: store.photo(name), result: .busy))
                continue
            }
            defer { store.release(name) }
            // Another developer has finished the photograph since the folder was read.
            guard FileKind.of(store.source(name)) != nil else { continue }
            let start = MonotonicClock.now
            let result: Finished.Result
            do throws(FlourishError) {
                result = .developed(try store.develop(name, processor, overwrite: overwrite))
            } catch {
                result = .failed(error)
            }
            ProgressHeartbeat.record(step: MonotonicClock.now - start)
            report(Finished(path: store.photo(name), result: result))
        }
    }
}
