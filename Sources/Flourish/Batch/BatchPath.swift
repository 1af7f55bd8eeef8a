import MediaIO
import Platform

/// The path of a file or folder, in any bytes that the system accepts.
///
/// ```swift
/// let latin1 = BatchPath(bytes: Array("caf".utf8) + [0xE9] + Array(".mp4".utf8))
/// print(latin1)                  // caf\xE9.mp4
/// print(latin1.text ?? "none")   // none
/// ```
public struct BatchPath: Sendable, Hashable {
    /// The path's bytes, without a terminating zero.
    public let bytes: [UInt8]

    /// Creates a path from any bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Creates a path from UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Creates a path from text in the encoding of `RawName`.
    package init(argument: String) { bytes = RawName.bytes(argument) }

    /// The path as text; `nil` if it is not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The path as text that is unique to it, in the encoding of `RawName`.
    package var rawText: String { RawName.text(bytes) }

    /// The last component.
    var name: [UInt8] { Array(bytes[(bytes.lastIndex(of: RawFile.slash).map { $0 + 1 } ?? 0)...]) }

    /// Returns the path of an entry of this folder.
    func appending(_ path: [UInt8]) -> BatchPath {
        if bytes.isEmpty { return BatchPath(bytes: path) }
        return BatchPath(bytes: bytes + (bytes.last == RawFile.slash ? [] : [RawFile.slash]) + path)
    }

    /// The absolute path, if the working directory has one.
    var absolute: BatchPath {
        guard bytes.first != RawFile.slash, let folder = unsafe getcwd(nil, 0) else { return self }
        defer { unsafe free(folder) }
        let here = unsafe String(cString: folder)
        return BatchPath(here).appending(bytes)
    }
}

extension BatchPath: Comparable, CustomStringConvertible {
    /// Compares paths by their bytes.
    public static func < (one: BatchPath, other: BatchPath) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// The path for messages. Bytes that are not UTF-8 are escaped, as in `caf\xE9.mp4`.
    public var description: String {
        rawText.unicodeScalars.reduce(into: "") { text, scalar in
            if let byte = RawName.byte(scalar) {
                text += "\\x" + String(byte, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The address of a recording for sessions, which accept only UTF-8.
///
/// If the name is not UTF-8, the object keeps the recording open, and the address is that of its descriptor in `/proc`.
final class RawInput: Sendable {
    /// The recording's path, or that of its descriptor in `/proc`.
    let address: String
    /// The recording's name in messages.
    let name: String
    private let descriptor: Int32?

    init(_ path: BatchPath) throws(RawFileError) {
        name = path.description
        if let text = path.text {
            (address, descriptor) = (MediaAddress(text).filePath == text ? text : "./" + text, nil)
        } else {
            let open = try RawFile.open(path.bytes, O_RDONLY)
            (address, descriptor) = ("/proc/self/fd/\(open)", open)
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Returns a message with the recording's name in place of its address.
    func named(_ message: String) -> String {
        address == name ? message : message.replacing(address, with: name)
    }
}
