import Effects
import MediaIO
import Pipeline
import Platform

/// A template for the names of outputs: text with placeholders, such as `{stem}-reacted{ext}`.
///
/// - `{stem}`: The input's name without its extension.
/// - `{ext}`: The extension with the dot; `.mkv` for a container that cannot be written.
/// - `{name}`: The whole name.
public struct NameTemplate: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case stem, ending, name
    }

    private let parts: [Part]

    /// Parses a template.
    ///
    /// ```swift
    /// var request = BatchRequest(["calls"], into: "reacted")
    /// request.name = try NameTemplate("{stem}-reacted{ext}")
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage`` for unknown placeholders, for folders, and for names that are the same
    ///   for all inputs.
    public init(_ text: String) throws(FlourishError) {
        if text.contains("/") {
            throw FlourishError(.usage, "\(text): a name must not contain /")
        }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw FlourishError(.usage, "\(text): a } is missing; use {stem}, {ext} or {name}")
            }
            switch rest[rest.index(after: open)..<close] {
            case "stem": parts.append(.stem)
            case "ext": parts.append(.ending)
            case "name": parts.append(.name)
            case let word:
                throw FlourishError(.usage, "\(text): unknown placeholder {\(word)}; use {stem}, {ext} or {name}")
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        guard parts.contains(.stem) || parts.contains(.name) else {
            throw FlourishError(.usage, "\(text): all outputs would have the same name; include {stem} or {name}")
        }
        self.parts = parts
    }

    private init(_ parts: [Part]) { self.parts = parts }

    /// The name of the input.
    public static let same = NameTemplate([.stem, .ending])

    /// The template's text.
    var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .stem: "{stem}"
            case .ending: "{ext}"
            case .name: "{name}"
            }
        }.joined()
    }

    /// Verifies that names have the extension of a container that can be written.
    func checkIsOfVideo() throws(FlourishError) {
        let example = RawName.text(name(for: Array("x.mp4".utf8)))
        guard ContainerFormat(path: example) == nil else { return }
        let known = ContainerFormat.extensions.map { "." + $0 }.joined(separator: ", ")
        throw FlourishError(
            .usage, "\(text): names must end with {ext} or one of \(known)")
    }

    static let plan = NameTemplate([.stem, .text(".plan.json")])
    static let events = NameTemplate([.stem, .text(".jsonl")])

    /// Returns the name of an output, in bytes.
    ///
    /// - Parameter input: The input's name, in bytes.
    func name(for input: [UInt8]) -> [UInt8] {
        // The dot of a hidden file starts no extension.
        let dot = input.dropFirst().lastIndex(of: RawFile.dot) ?? input.endIndex
        let (stem, ending) = (input[..<dot], input[dot...])
        return parts.flatMap { part -> [UInt8] in
            switch part {
            case .text(let text): Array(text.utf8)
            case .stem: Array(stem)
            case .ending: Self.writable(Array(ending))
            case .name: input
            }
        }
    }

    /// Returns the extension if a container with this extension can be written. Otherwise returns the extension of
    /// Matroska, which supports all codecs.
    private static func writable(_ ending: [UInt8]) -> [UInt8] {
        let text = String(validating: ending, as: UTF8.self)
        return text.flatMap { ContainerFormat(path: "x" + $0) } == nil ? Array(".mkv".utf8) : ending
    }
}
