import Flourish
import Foundation
import Synchronization

/// Takes pictures of the output for clients, a few at a time.
final class SnapshotDesk: Sendable {
    /// How many may be under way at once: each holds a picture in memory.
    private static let most = 4

    private let session: ReactionSession
    private let count = Atomic(0)

    init(session: ReactionSession) { self.session = session }

    /// Takes the next frame, and answers on another thread.
    ///
    /// - Parameters:
    ///   - path: where the PNG file goes, which must not exist yet; `nil` to have it in the answer, in base 64.
    ///   - answer: called once.
    func take(path: String?, answer: @escaping @Sendable (Result<ControlValue, ControlError>) -> Void) {
        if let path, !path.hasPrefix("/") {
            return answer(
                .failure(ControlError("\"path\" must begin with /: the program's folder may be another than yours")))
        }
        guard count.add(1, ordering: .relaxed).newValue <= Self.most else {
            count.subtract(1, ordering: .relaxed)
            return answer(.failure(ControlError("\(Self.most) pictures are being taken already; try again")))
        }
        Task { [self] in
            let result: Result<ControlValue, ControlError>
            do throws(FlourishError) {
                result = Self.deliver(try await session.pngSnapshot(), to: path)
            } catch {
                result = .failure(ControlError(error))
            }
            count.subtract(1, ordering: .relaxed)
            answer(result)
        }
    }

    private static func deliver(_ png: [UInt8], to path: String?) -> Result<ControlValue, ControlError> {
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
