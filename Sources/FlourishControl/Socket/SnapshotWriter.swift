import Flourish
import FoundationEssentials
import Platform
import Synchronization

/// Captures frames of the output for clients, a few at a time, and writes them as PNG files or into replies.
final class SnapshotWriter: Sendable {
    /// The maximum number of concurrent snapshots. Each holds a picture in memory.
    private static let maximum = 4

    private let session: ReactionSession
    private let count = Atomic(0)

    init(session: ReactionSession) { self.session = session }

    /// Captures the next frame.
    ///
    /// - Parameter path: The path of the PNG file, which must not exist; `nil` for base64 in the reply.
    func snapshot(path: String?) async -> Result<ControlValue?, ControlError> {
        if let path, let refusal = Self.refusal(of: path) { return .failure(ControlError(.invalidValue, refusal)) }
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= Self.maximum else {
            return .failure(ControlError(.busy, "\(Self.maximum) snapshots are in progress; try again"))
        }
        do throws(FlourishError) {
            let png = try await session.pngSnapshot()
            // Writing to a slow disk must not block other clients.
            return await withTaskExecutorPreference(globalConcurrentExecutor) { Self.deliver(png, to: path) }
        } catch {
            return .failure(ControlError(.failed, error))
        }
    }

    /// Returns the reason why a picture cannot be written to a path; `nil` if it can.
    private static func refusal(of path: String) -> String? {
        if !path.hasPrefix("/") { return "\"path\" must be absolute, since the program's working directory may differ" }
        // System calls would truncate the path at that character.
        if path.utf8.contains(0) { return "\"path\" must not contain a NUL" }
        if TemporaryFile.isAwaited(path) { return "\(path) is the output of this run; choose another path" }
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
                    .failed, exists ? "\(path) exists; choose another path" : "\(path) cannot be written"))
        }
    }
}
