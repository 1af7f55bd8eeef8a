/// The two colours that say whether a reaction is shown. Any other says nothing.
enum MarkerColour: String, Sendable {
    case on = "green"
    case off = "red"

    /// Its name as programs write it, in any case.
    init?(_ name: some StringProtocol) { self.init(rawValue: name.lowercased()) }

    var name: String { self == .on ? "Green" : "Red" }
}
