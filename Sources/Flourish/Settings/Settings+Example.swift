extension Settings {
    /// A configuration file with every setting, each explained and commented out, so that
    /// saving it changes nothing.
    public static var example: String {
        var text = """
            # Settings of flourish. Lines with a # say what is built in; remove the # to change it.
            # "flourish config" shows what holds and where it comes from.

            # A system's file (/etc/xdg/flourish/config.toml) can lock settings or whole tables:
            # locked = ["recognition.gestures", "output"]

            """
        var table: Substring?
        for key in SettingKey.all {
            if key.table != table {
                text += "\n[\(key.table)]\n"
                table = key.table
            }
            let option = key.option.map { " Option: \($0)." } ?? ""
            text += "\n# \(key.documentation)\(option)\n"
            text += "# Value: \(key.expectation).\n"
            let value = key.builtInValue ?? key.kind.exampleValue
            let note = key.builtInValue == nil ? "    # an example; nothing is built in" : ""
            text += "# \(key.shortName) = \(value.toml)\(note)\n"
        }
        return text
    }
}

extension SettingKind {
    /// A value to show where none is built in.
    fileprivate var exampleValue: SettingValue {
        switch self {
        case .flag: .flag(true)
        case .number(let range, _): .number(min(range.upperBound, range.lowerBound + 20))
        case .numberOrAuto: .text("auto")
        case .integer(let range): .integer(range.lowerBound)
        case .bitRate: .text("2500k")
        case .choice(let names): .text(names.first ?? "")
        case .text(_, let example): .text(example)
        case .path: .text("~/file")
        case .palette: .text("pastel")
        case .gestures, .paths: .list([])
        }
    }
}
