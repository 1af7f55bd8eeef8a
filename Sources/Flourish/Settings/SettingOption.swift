/// How the command line spells a setting.
///
/// Written as a synopsis has it: `"--hold s"`, or `"-q, --quiet, --no-quiet"` for a switch with both ways.
package struct SettingOption: Sendable, Hashable, ExpressibleByStringLiteral {
    /// With their dashes: `-q`, `--quiet`, `--no-quiet`.
    package let spellings: [String]
    /// What help calls its value: `s` in `--hold s`; `nil` for a switch.
    package let valueName: String?
    /// The option as messages name it: `--quiet`.
    package let name: String

    package init(stringLiteral synopsis: String) {
        let words = synopsis.split(separator: " ").map { String($0.last == "," ? $0.dropLast() : $0) }
        spellings = words.filter { $0.hasPrefix("-") }
        valueName = words.first { !$0.hasPrefix("-") }
        name = spellings.first { $0.hasPrefix("--") } ?? synopsis
    }

    /// `--bind victory=…`, one option for all gestures.
    static func bind(_ gesture: ReactionGesture) -> SettingOption {
        SettingOption(spellings: ["--bind"], valueName: "gesture=type", name: "--bind \(gesture.rawValue)=…")
    }

    private init(spellings: [String], valueName: String?, name: String) {
        self.spellings = spellings
        self.valueName = valueName
        self.name = name
    }
}
