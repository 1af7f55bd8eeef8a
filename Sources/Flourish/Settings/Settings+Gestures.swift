extension Settings {
    /// Refuses to switch off, to bind or to be sensitive to a gesture that there is not, neither built in nor of somebody's own.
    ///
    /// - Throws: ``FlourishError/Code/usage``; with the file and the line where a file says so.
    func checkGestures(of configuration: Configuration) throws(FlourishError) {
        let others = gesturesNamed.filter { !ReactionGesture.allCases.contains($0.gesture) }
        guard !others.isEmpty else { return }
        let isNamed = self["recognition.gestures-file"]?.value != nil
        let own = (isNamed ? configuration.ownGestures : try GestureSet.usersOwn()).gestures.map(\.gesture)
        for (gesture, purpose, origin) in others where !own.contains(gesture) {
            let known = (ReactionGesture.allCases + own).map(\.rawValue).joined(separator: ", ")
            throw FlourishError(
                .usage,
                (origin.place.isFile ? "\(origin.text): " : "")
                    + "there is no gesture \(gesture.rawValue) to \(purpose); choose one of \(known)")
        }
    }

    /// The gestures that settings name, in the order of the settings, with what for and where.
    private var gesturesNamed: [(gesture: ReactionGesture, purpose: String, origin: SettingOrigin)] {
        entries.flatMap { entry in
            let names: [String], purpose: String
            switch entry.value {
            case .list(let list)? where entry.key.kind == .gestures: (names, purpose) = (list, "disable")
            case .text? where entry.key.table == SettingKey.bindingsTable:
                (names, purpose) = ([String(entry.key.shortName)], "bind")
            case .text? where entry.key.table == SettingKey.sensitivitiesTable:
                (names, purpose) = ([String(entry.key.shortName)], "be sensitive to")
            default: (names, purpose) = ([], "")
            }
            return names.compactMap(ReactionGesture.init(rawValue:)).map { ($0, purpose, entry.origin) }
        }
    }
}
