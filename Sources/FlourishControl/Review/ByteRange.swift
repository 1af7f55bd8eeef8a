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
