import ArgumentParser
import Flourish

/// A time or a length of time: `12.5`, `1:30` or `0:01:30.25`.
struct TimeArgument: ExpressibleByArgument {
    let seconds: Double

    init?(argument: String) {
        guard let seconds = Self.seconds(argument) else { return nil }
        self.seconds = seconds
    }

    /// The seconds that a text stands for; whether they make sense is asked later. `nil` for what is no time.
    static func seconds(_ text: some StringProtocol) -> Double? {
        guard let seconds = read(text), abs(seconds) <= InputOptions.latestTime else { return nil }
        return seconds
    }

    private static func read(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return Double(text) }
        guard parts.count <= 3, let last = parts.last, last.first?.isNumber == true,
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
