import Flourish
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Gives a file, or a part of it, piece by piece: however large it is, a connection holds one piece in memory, and the
/// next is read when that has left.
struct FileResponse: Sendable {
    /// How much is read at once, in bytes.
    private static let piece = 256 * 1024

    let path: String
    let type: String
    /// What the file must still be; anything if `nil`.
    var stamp: FileStamp?

    /// The answer to a request for it.
    func answer(to head: HTTPRequestHead) -> PanelResponse {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .text(.notFound, "the file is not there any more\n") }
        let file = OpenFile(descriptor)
        guard let found = FileStamp(descriptor: descriptor), stamp == nil || stamp == found else {
            return .text(.conflict, "the file has changed\n")
        }
        switch ByteRange(head.headers.first(name: "Range"), size: found.size) {
        case .beyond:
            var response = PanelResponse.text(.rangeNotSatisfiable, "the file ends before\n")
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
                    let bytes = try await file.read(from: offset, most: min(Self.piece, range.upperBound - offset))
                    // It was cut short: the client sees that something is missing.
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

/// A file that is read on threads of its own, so that a slow disk holds up nobody else.
private final class OpenFile: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads up to so many bytes; none at the end.
    func read(from offset: Int, most: Int) async throws -> ByteBuffer {
        try await NIOThreadPool.singleton.runIfActive { [descriptor] in
            var buffer = ByteBufferAllocator().buffer(capacity: most)
            let count = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { bytes in
                unsafe max(0, pread(descriptor, bytes.baseAddress, most, off_t(offset)))
            }
            return count > 0 ? buffer : ByteBuffer()
        }
    }
}

/// The part of a file that somebody asks for: https://www.rfc-editor.org/rfc/rfc9110#section-14
enum ByteRange: Sendable, Hashable {
    /// No part was asked for, or nothing that is understood.
    case whole
    case part(Range<Int>)
    /// Nothing of it is there.
    case beyond

    /// - Parameters:
    ///   - field: the field `Range` of a request's head. Of several ranges at once the whole is given, as anybody may.
    ///   - size: the file's, in bytes.
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
