import Flourish
import FoundationEssentials
import Platform
import Synchronization

/// Takes pictures of the output for clients, a few at a time.
final class SnapshotWriter: Sendable {
    /// How many may be under way at once: each holds a picture in memory.
    private static let most = 4

    private let session: ReactionSession
    private let count = Atomic(0)

    init(session: ReactionSession) { self.session = session }

    /// Takes the next frame.
    ///
    /// - Parameter path: where the PNG file goes, which must not exist yet; `nil` to have it in the answer, in base 64.
    func take(path: String?) async -> Result<ControlValue?, ControlError> {
        if let path, let refusal = Self.refusal(of: path) { return .failure(ControlError(refusal)) }
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= Self.most else {
            return .failure(ControlError("\(Self.most) pictures are being taken already; try again"))
        }
        do throws(FlourishError) {
            let png = try await session.pngSnapshot()
            // A slow disk keeps no other client waiting.
            return await withTaskExecutorPreference(globalConcurrentExecutor) { Self.deliver(png, to: path) }
        } catch {
            return .failure(ControlError(error))
        }
    }

    /// Why no picture may go there.
    private static func refusal(of path: String) -> String? {
        if !path.hasPrefix("/") { return "\"path\" must begin with /: the program's folder may be another than yours" }
        // The system would take the name to end there.
        if path.utf8.contains(0) { return "\"path\" must not contain a NUL" }
        if TemporaryFile.isAwaited(path) { return "\(path) is this run's own output; choose another path" }
        return nil
    }

    private static func deliver(_ png: [UInt8], to path: String?) -> Result<ControlValue?, ControlError> {
        guard let path else {
            return .success(.object(["png": .text(Data(png).base64EncodedString())]))
        }
        do {
            try Data(png).write(to: URL(filePath: path), options: .withoutOverwriting)
            return .success(.object(["path": .text(path)]))
        } catch {
            let exists = FileManager.default.fileExists(atPath: path)
            return .failure(
                ControlError(
                    exists ? "\(path) exists already; choose another path" : "\(path) cannot be written"))
        }
    }
}
