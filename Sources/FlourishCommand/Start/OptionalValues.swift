import ArgumentParser
import FlourishControl

/// Options whose value may be left out, which ArgumentParser reads wrongly where another option or a file follows:
/// `--panel`, `--panel 8080` and `--panel=8080`, and the same with `--control`. Each becomes a flag, or an option that
/// takes a value.
struct OptionalValues {
    private static let options = ["--control": "--control-socket", "--panel": "--panel-address"]

    /// Both options, each given twice; what is said more often is looked at no further.
    private static let mostDoubtful = 4

    /// The arguments as ArgumentParser can read them.
    ///
    /// What follows such an option is its value if the command line makes sense only so.
    ///
    /// - Throws: `ValidationError` where it makes sense both ways.
    static func resolved(_ arguments: [String]) throws -> [String] {
        let others = FlourishCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
            .filter { $0 != "filter" && $0 != "detect" }
        if let first = arguments.first, others.contains(first) || first == "help" { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.count
        var plain = arguments[..<end].map(joined)
        plain += arguments[end...]
        let doubtful = plain[..<end].indices.filter { index in
            options[plain[index]] != nil && index + 1 < end && mayBeValue(plain[index + 1], of: plain[index])
        }.prefix(mostDoubtful)
        if doubtful.isEmpty { return plain }
        let readings = (0..<1 << doubtful.count).map { choice in
            reading(plain, taking: doubtful.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element))
        }
        let sensible = readings.filter { (try? FlourishCommand.parseAsRoot($0)) != nil }
        if sensible.count > 1, let index = doubtful.first, let clear = options[plain[index]] {
            throw ValidationError(
                "'\(plain[index + 1])' may be the value of \(plain[index]) or a file; give \(clear) \(plain[index + 1]), or put \(plain[index]) last"
            )
        }
        // Where none makes sense, what is wrong is said of the one in which all are values.
        return sensible.first ?? readings[readings.count - 1]
    }

    /// `--panel=8080` → `--panel-address=8080`; `--panel=` → `--panel`
    private static func joined(_ argument: String) -> String {
        guard let equals = argument.firstIndex(of: "="), let clear = options[String(argument[..<equals])] else {
            return argument
        }
        let value = argument[argument.index(after: equals)...]
        return value.isEmpty ? String(argument[..<equals]) : "\(clear)=\(value)"
    }

    private static func mayBeValue(_ text: String, of option: String) -> Bool {
        if text.isEmpty || text.hasPrefix("-") { return false }
        return option == "--control" || (try? PanelAddress(text)) != nil
    }

    /// The arguments with some of the doubtful ones as values.
    private static func reading(_ arguments: [String], taking values: [Int]) -> [String] {
        var result: [String] = []
        var index = 0
        while index < arguments.count {
            if values.contains(index), let clear = options[arguments[index]] {
                result.append("\(clear)=\(arguments[index + 1])")
                index += 2
            } else {
                result.append(arguments[index])
                index += 1
            }
        }
        return result
    }
}
