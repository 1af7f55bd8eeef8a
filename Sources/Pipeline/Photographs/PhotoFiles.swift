import MediaIO
import Platform
import Reactions
import Synchronization

/// Writes the files of a run's photographs, and determines their names, their comments, and the existing files that
/// they replace. Used by the thread of ``PhotoStage``.
final class PhotoFiles: Sendable {
    private let run: PhotoCapture.Run
    /// The names of the files that the run has written.
    private let written = Mutex<Set<String>>([])

    init(_ run: PhotoCapture.Run) { self.run = run }

    /// Writes a photograph under a name that describes its content.
    ///
    /// - Returns: the file's path.
    func write(_ photo: Photo, _ request: PhotoRequest) throws(FlourishError) -> String {
        for name in names(of: request, at: photo.time) {
            guard let replaces = replaces(name, request, photo.time) else { continue }
            let path = path(of: name)
            try photo.write(to: path, overwrite: replaces)
            recordWritten(name)
            return path
        }
        throw isTaken(request, at: photo.time)
    }

    /// Returns the possible names of a photograph: `call-0012.480-heart.jpg`, or the same name with a number if that
    /// file exists.
    func names(of request: PhotoRequest, at time: Double) -> some Sequence<String> {
        let milliseconds = Int((max(time, 0) * 1000).rounded())
        let (whole, rest) = (String(milliseconds / 1000), String(milliseconds % 1000))
        let clock =
            String(repeating: "0", count: max(0, 4 - whole.count)) + whole + "."
            + String(repeating: "0", count: max(0, 3 - rest.count)) + rest
        // Words may contain what a file's name must not.
        let what = request.subject.map { $0.reactionType.text == nil ? $0.reactionType.rawValue : "text" } ?? "photo"
        let kind = request.content == .withEffects ? "-effects" : ""
        let type = StillFormat(request.settings.processedFileType).pathExtension
        return (1..<1000).lazy.map { [stem = run.stem] number in
            "\(stem)-\(clock)-\(what)\(kind)" + (number == 1 ? "" : "-\(number)") + ".\(type)"
        }
    }

    /// Returns the path of a photograph.
    func path(of name: String) -> String {
        let folder = run.options.folder ?? ""
        return (folder.hasSuffix("/") ? folder : folder + "/") + name
    }

    /// Returns the error of a photograph for which no name is free.
    func isTaken(_ request: PhotoRequest, at time: Double) -> FlourishError {
        let first = names(of: request, at: time).first { _ in true } ?? ""
        return FlourishError(.outputUnavailable, "\(path(of: first)): exists already", remedy: .overwriting)
    }

    /// Returns whether a photograph replaces the file of a name; `nil` if it must use another name. The run's own files
    /// are kept.
    func replaces(_ name: String, _ request: PhotoRequest, _ time: Double) -> Bool? {
        if written.withLock({ $0.contains(name) }) { return nil }
        if run.replacement == .all { return true }
        let path = path(of: name)
        guard FileKind.of(path) != nil else { return false }
        return run.replacement == .own && Self.isOwnPhoto(path, Self.comment(request, time)) ? true : nil
    }

    /// Protects a file that the run has written from later photographs of the run.
    func recordWritten(_ name: String) { written.withLock { _ = $0.insert(name) } }

    /// Returns the file's comment, in JSON.
    ///
    /// - Parameter isDegraded: whether the file is the proxy of a deferred photograph; `nil` if the photograph is not
    ///   deferred.
    static func comment(_ request: PhotoRequest, _ time: Double, isDegraded: Bool? = nil) -> String {
        var fields = ["\"time\":\(time.milliseconds.plainText)"]
        if let isDegraded { fields.insert("\"degraded\":\(isDegraded)", at: 0) }
        if let subject = request.subject {
            fields.append("\"reactionType\":\(JSONLine.encode(subject.reactionType.rawValue))")
            let (x, y) = (subject.origin.x.milliseconds.plainText, subject.origin.y.milliseconds.plainText)
            fields.append("\"origin\":{\"x\":\(x),\"y\":\(y)}")
            if let tile = subject.tile { fields.append("\"tile\":\(tile.id)") }
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    /// The maximum size of a photograph's file, in bytes.
    private static let maxByteCount = 256 << 20

    /// Returns whether a file is a photograph or a proxy by Flourish that shows the instant and the subject in a
    /// comment.
    private static func isOwnPhoto(_ path: String, _ comment: String) -> Bool {
        guard let size = FileKind.size(of: path), size <= maxByteCount,
            let descriptor = try? RawFile.open(Array(path.utf8), O_RDONLY)
        else { return false }
        defer { close(descriptor) }
        guard let bytes = DescriptorInput.readAll(descriptor, limit: maxByteCount) else { return false }
        // The comment's opening brace is not compared, because the comments of a proxy and of its finished photograph
        // have another field after the brace.
        return contains(Array(comment.utf8.dropFirst()), bytes.span) && contains(Array("Flourish\0".utf8), bytes.span)
    }

    private static func contains(_ words: [UInt8], _ bytes: Span<UInt8>) -> Bool {
        guard let first = words.first, words.count <= bytes.count else { return false }
        for place in 0...(bytes.count - words.count) where bytes[place] == first {
            if words.indices.allSatisfy({ bytes[place + $0] == words[$0] }) { return true }
        }
        return false
    }
}
