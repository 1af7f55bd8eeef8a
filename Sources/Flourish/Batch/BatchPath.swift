import MediaIO
import Platform

/// The path of a file or folder, in any bytes that the system takes.
public struct BatchPath: Sendable, Hashable {
    /// The path's bytes, without a zero at the end.
    public let bytes: [UInt8]

    /// A path in any bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// A path in UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// A path as `RawName` writes it.
    package init(argument: String) { bytes = RawName.bytes(argument) }

    /// As text; `nil` where it is no UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// As text that tells it from every other path.
    package var rawText: String { RawName.text(bytes) }

    /// The part after the last slash.
    var name: [UInt8] { Array(bytes[(bytes.lastIndex(of: RawFile.slash).map { $0 + 1 } ?? 0)...]) }

    /// What lies in this folder under a name, or under a path from here.
    func appending(_ path: [UInt8]) -> BatchPath {
        if bytes.isEmpty { return BatchPath(bytes: path) }
        return BatchPath(bytes: bytes + (bytes.last == RawFile.slash ? [] : [RawFile.slash]) + path)
    }

    /// As a path from the root, where the working folder has a name.
    var absolute: BatchPath {
        guard bytes.first != RawFile.slash, let folder = unsafe getcwd(nil, 0) else { return self }
        defer { unsafe free(folder) }
        let here = unsafe String(cString: folder)
        return BatchPath(here).appending(bytes)
    }
}

extension BatchPath: Comparable, CustomStringConvertible {
    /// By bytes.
    public static func < (one: BatchPath, other: BatchPath) -> Bool {
        one.bytes.lexicographicallyPrecedes(other.bytes)
    }

    /// For people: what is no UTF-8 stands there as in `caf\xE9.mp4`.
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

/// A recording's address as sessions take it, which is UTF-8, whatever its name is.
///
/// What has another name is held open, and the system's name of the open file leads to it.
final class RawInput: Sendable {
    let address: String
    /// As people call it.
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

    /// A message in which the recording has its own name.
    func named(_ message: String) -> String {
        address == name ? message : message.replacing(address, with: name)
    }
}
