/// What follows the path of a request: `?time=12.5&height=64`. Plain words and numbers only.
struct RequestQuery: Sendable {
    private let fields: [Substring: Substring]

    init(_ uri: String) {
        let query = uri.firstIndex(of: "?").map { uri[uri.index(after: $0)...] } ?? ""
        fields = Dictionary(
            query.split(separator: "&").map { field in
                let equals = field.firstIndex(of: "=")
                return (field[..<(equals ?? field.endIndex)], equals.map { field[field.index(after: $0)...] } ?? "")
            }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { fields[name[...]].map(String.init) }

    /// A number that is one.
    func number(_ name: String) -> Double? {
        fields[name[...]].flatMap { Double($0) }.flatMap { $0.isFinite && abs($0) < 1e7 ? $0 : nil }
    }
}
