import FoundationEssentials
import Platform

extension ReactionPlan {
    private static let advice = "give a plan that flourish plan wrote"

    /// Reads a plan.
    ///
    /// - Parameter path: of a file; `-` is the standard input.
    /// - Throws: ``FlourishError/Code/inputUnavailable`` where it cannot be read,
    ///   ``FlourishError/Code/inputUnusable`` for what is no plan, with the place of the first fault.
    public init(contentsOf path: String) throws(FlourishError) {
        let name = path == "-" ? "the standard input" : path
        guard path == "-" else {
            try self.init(json: NamedFile.read(path, advice: Self.advice), name: name)
            return
        }
        guard let bytes = DescriptorInput.readAll(STDIN_FILENO, limit: NamedFile.greatestSize) else {
            throw FlourishError(.inputUnavailable, "\(name): cannot be read; \(Self.advice)")
        }
        try self.init(json: bytes, name: name)
    }

    /// Reads a plan's text.
    ///
    /// - Parameters:
    ///   - json: the text, in UTF-8.
    ///   - name: how errors name it.
    /// - Throws: ``FlourishError/Code/inputUnusable`` for what is no plan, with the place of the first fault.
    public init(json: [UInt8], name: String = "the plan") throws(FlourishError) {
        guard json.count <= NamedFile.greatestSize else {
            throw FlourishError(.inputUnusable, "\(name): is too large for a plan")
        }
        do {
            self = try JSONFault.decode(ReactionPlan.self, from: json)
        } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(
                .inputUnusable,
                "\(name): \(place)\(error.message); mend it, or make a new plan with: flourish plan VIDEO")
        }
        self.name = name
        try validate()
    }

    /// Writes the plan, or nothing.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - overwrite: whether a file of this name is replaced.
    /// - Throws: ``FlourishError/Code/outputUnavailable``, ``FlourishError/Code/inputOutput``.
    public func write(to path: String, overwrite: Bool = false) throws(FlourishError) {
        try TextFile.write(json, to: path, overwrite: overwrite)
    }

    /// Where the plan of a recording lies unless told otherwise: beside it, as `call.plan.json` of `call.mp4`.
    public static func path(for recording: String) -> String {
        let slash = recording.lastIndex(of: "/").map(recording.index(after:)) ?? recording.startIndex
        // A name that begins with a dot has no ending by that.
        let dot = recording[slash...].dropFirst().lastIndex(of: ".")
        return recording[..<(dot ?? recording.endIndex)] + ".plan.json"
    }
}
