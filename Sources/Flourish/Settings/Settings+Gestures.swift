extension Settings {
    /// Refuses to look at hands where a setting says that nobody does: for what does nothing else.
    ///
    /// - Throws: ``FlourishError/Code/usage``; the message names the file.
    public func requireGestures() throws(FlourishError) {
        guard let entry = self["recognition.gestures"], entry.value == .flag(false) else { return }
        let held = entry.lockedBy == nil ? "" : " for everybody on this machine"
        throw FlourishError(
            .usage, "\(entry.origin.text): recognition.gestures is false\(held), so that no hands are looked for")
    }

    /// Gestures to be switched off, bound or sensitive to that there are not, neither built in nor of somebody's own;
    /// with the file and the line where a file says so.
    func gestureFaults(of configuration: Configuration) -> [FlourishError] {
        let others = gesturesNamed.filter { !ReactionGesture.allCases.contains($0.gesture) }
        guard !others.isEmpty else { return [] }
        let isNamed = self["recognition.gestures-file"]?.value != nil
        let own: [ReactionGesture]
        do throws(FlourishError) {
            own = (isNamed ? configuration.ownGestures : try GestureSet.usersOwn()).gestures.map(\.gesture)
        } catch { return [error] }
        let known = (ReactionGesture.allCases + own).map(\.rawValue).joined(separator: ", ")
        return others.filter { !own.contains($0.gesture) }.map { gesture, purpose, origin in
            FlourishError(
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
