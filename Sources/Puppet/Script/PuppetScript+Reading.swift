internal import FoundationEssentials

extension PuppetScript {
    /// Reads a script from a JSON file.
    /// - Throws: ``PuppetError`` of the codes `unreadableScript` and `invalidScript`, with a message that names the file and the field.
    package init(path: String) throws(PuppetError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw PuppetError(.unreadableScript, "\(path): the script cannot be read")
        }
        do {
            self = try JSONDecoder().decode(PuppetScript.self, from: data)
        } catch let error as DecodingError {
            throw PuppetError(.invalidScript, "\(path): \(Self.explanation(of: error))")
        } catch {
            throw PuppetError(.invalidScript, "\(path): not a script in JSON")
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        func place(_ context: DecodingError.Context) -> String {
            let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
            return path.isEmpty ? "the script" : path.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context): return "\(place(context)) lacks '\(key.stringValue)'"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(place(context)) has a value of the wrong kind"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty
                ? "not valid JSON" : "\(place(context)) has a value that is not known"
        @unknown default: return "not a script in JSON"
        }
    }
}
