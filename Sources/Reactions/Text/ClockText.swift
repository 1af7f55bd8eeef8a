/// Times with colons, as people write them.
package enum ClockText {
    /// Returns the seconds of a text such as `1:30` or `0:01:30.25`; `nil` if it is none. Only its first part may be
    /// greater than 59.
    package static func seconds(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let last = parts.last, last.first?.isNumber == true,
            let seconds = Double(last), seconds < 60
        else { return nil }
        var total = 0.0
        for (place, part) in parts.dropLast().enumerated() {
            guard part.allSatisfy(\.isNumber), let number = Int(part), place == 0 || number < 60 else { return nil }
            total = total * 60 + Double(number)
        }
        return total * 60 + seconds
    }
}
