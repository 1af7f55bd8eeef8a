import Flourish
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Sends a file, such as the recording under review, or a range of it, piece by piece. A connection has one piece in
/// memory, and reads the next piece when the previous one is written.
struct FileResponse: Sendable {
    /// The size of a piece, in bytes.
    private static let piece = 256 * 1024

    let path: String
    let type: String
    /// The file's expected state; `nil` for any state.
    var stamp: FileStamp?

    /// Returns the response to a request for the file.
    func answer(to head: HTTPRequestHead) -> PanelResponse {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .text(.notFound, "the file no longer exists\n") }
        let file = OpenFile(descriptor)
        guard let found = FileStamp(descriptor: descriptor), stamp == nil || stamp == found else {
            return .text(.conflict, "the file has changed\n")
        }
        switch ByteRange(head.headers.first(name: "Range"), size: found.size) {
        case .beyond:
            var response = PanelResponse.text(.rangeNotSatisfiable, "the range is beyond the end of the file\n")
            response.fields = [("Content-Range", "bytes */\(found.size)")]
            return response
        case .whole: return response(.ok, 0..<found.size, of: file, isHead: head.method == .HEAD)
        case .part(let range):
            var response = response(.partialContent, range, of: file, isHead: head.method == .HEAD)
            response.fields.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(found.size)"))
            return response
        }
    }

    private func response(
        _ status: HTTPResponseStatus, _ range: Range<Int>, of file: OpenFile, isHead: Bool
    ) -> PanelResponse {
        var response = PanelResponse(status, type: type, .none)
        if !isHead {
            response.body = .stream { send in
                var offset = range.lowerBound
                while offset < range.upperBound {
                    try Task.checkCancellation()
                    let bytes = try await file.read(from: offset, maximum: min(Self.piece, range.upperBound - offset))
                    // The file was truncated. The client notices that bytes are missing.
                    guard bytes.readableBytes > 0 else { throw ChannelError.eof }
                    offset += bytes.readableBytes
                    try await send(bytes)
                }
            }
        }
        response.fields = [("Accept-Ranges", "bytes"), ("Content-Length", "\(range.count)")]
        return response
    }
}

/// An open file that is read on NIO's thread pool, so that a slow disk does not block other connections.
private final class OpenFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads up to `maximum` bytes; returns an empty buffer at the end.
    func read(from offset: Int, maximum: Int) async throws -> ByteBuffer {
        try await NIOThreadPool.singleton.runIfActive { [descriptor] in
            var buffer = ByteBufferAllocator().buffer(capacity: maximum)
            let count = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: maximum) { bytes in
                unsafe max(0, pread(descriptor, bytes.baseAddress, maximum, off_t(offset)))
            }
            return count > 0 ? buffer : ByteBuffer()
        }
    }
}

/// The range of a file that a client requests: https://www.rfc-editor.org/rfc/rfc9110#section-14
enum ByteRange: Sendable, Hashable {
    /// The request has no range, or an invalid one.
    case whole
    case part(Range<Int>)
    /// A range beyond the end of the file.
    case beyond

    /// Parses a range. For several ranges at once, the whole file is returned, as the RFC allows.
    ///
    /// - Parameters:
    ///   - field: The field `Range` of a request's head.
    ///   - size: The size of the file, in bytes.
    init(_ field: String?, size: Int) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return }
        switch (Int(parts[0]), Int(parts[1])) {
        case (let first?, nil) where parts[1].isEmpty:
            self = first < size ? .part(first..<size) : .beyond
        case (let first?, let last?):
            guard first <= last else { return }
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .beyond
        case (nil, let count?) where parts[0].isEmpty:
            self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .beyond
        default: break
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
