import MediaIO
import Platform

/// How outputs are called after their inputs: text with placeholders, such as `{stem}-reacted{ext}`.
///
/// - `{stem}`: the input's name without its ending.
/// - `{ext}`: its ending with the dot; `.mkv` of a video that cannot be written into the container that its name says.
/// - `{name}`: the whole name.
public struct NameTemplate: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case stem, ending, name
    }

    private let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for unknown placeholders, folders, and what is the same for all inputs.
    public init(_ text: String) throws(FlourishError) {
        if text.contains("/") {
            throw FlourishError(.usage, "\(text): a name holds no /; folders stay as they are")
        }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw FlourishError(.usage, "\(text): a } is missing; write {stem}, {ext} or {name}")
            }
            switch rest[rest.index(after: open)..<close] {
            case "stem": parts.append(.stem)
            case "ext": parts.append(.ending)
            case "name": parts.append(.name)
            case let word:
                throw FlourishError(.usage, "\(text): there is no {\(word)}; there are {stem}, {ext} and {name}")
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        guard parts.contains(.stem) || parts.contains(.name) else {
            throw FlourishError(.usage, "\(text): all outputs would have one name; write {stem} or {name} into it")
        }
        self.parts = parts
    }

    private init(_ parts: [Part]) { self.parts = parts }

    /// The input's own name.
    public static let same = NameTemplate([.stem, .ending])

    /// As it was written.
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

    /// Makes sure that names end in a kind of video that can be written.
    func checkIsOfVideo() throws(FlourishError) {
        let example = RawName.text(name(for: Array("x.mp4".utf8)))
        guard ContainerFormat(path: example) == nil else { return }
        let known = ContainerFormat.extensions.map { "." + $0 }.joined(separator: ", ")
        throw FlourishError(
            .usage, "\(text): names must end in the kind of file to write: {ext}, or one of \(known)")
    }

    static let plan = NameTemplate([.stem, .text(".plan.json")])
    static let events = NameTemplate([.stem, .text(".jsonl")])

    /// The output's name for an input's, both in bytes.
    func name(for input: [UInt8]) -> [UInt8] {
        // A name that begins with a dot has no ending by that.
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

    /// The ending, or that of the container which holds everything.
    private static func writable(_ ending: [UInt8]) -> [UInt8] {
        let text = String(validating: ending, as: UTF8.self)
        return text.flatMap { ContainerFormat(path: "x" + $0) } == nil ? Array(".mkv".utf8) : ending
    }
}
