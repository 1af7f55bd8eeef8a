import FoundationEssentials

extension Settings {
    /// Where gestures of somebody's own are kept: in the file that a setting names, or else in the user's.
    public var gesturesPath: String {
        if case .text(let file)? = self["recognition.gestures-file"]?.value { return file }
        return GestureSet.usersPath()
    }

    /// The gestures of somebody's own. A file that a setting names must be there; the user's holds none where it is not.
    ///
    /// - Throws: ``FlourishError`` for a file that is damaged or cannot be read.
    public func ownGestures() throws(FlourishError) -> GestureSet {
        namesGestures ? try GestureSet(contentsOf: gesturesPath) : try .usersOwn()
    }

    /// Adds the user's gestures to what these settings make, unless one of them names a file of others.
    ///
    /// - Throws: ``FlourishError`` where the user's file is damaged or cannot be read.
    public func addUsersGestures(to configuration: inout Configuration) throws(FlourishError) {
        guard configuration.gesturesEnabled, !namesGestures else { return }
        configuration.ownGestures = try .usersOwn()
    }

    /// Whether a setting names a file of gestures.
    private var namesGestures: Bool { self["recognition.gestures-file"]?.value != nil }

    /// What a gesture is taught with: the gestures that are known, and the reactions of all folders of effects. The file of
    /// gestures need not be there yet, and what other settings say of gestures that are still to be taught counts for
    /// nothing.
    ///
    /// - Throws: ``FlourishError`` for a file that is damaged or cannot be read.
    public func teachingConfiguration() throws(FlourishError) -> Configuration {
        var configuration = Configuration()
        if let folders = self["effects.folders"] {
            do { try folders.key.write(folders.value, &configuration) } catch {
                throw folders.origin.place.isFile ? error.said(at: folders.origin) : error
            }
        }
        if FileManager.default.fileExists(atPath: gesturesPath) {
            configuration.ownGestures = try GestureSet(contentsOf: gesturesPath)
        }
        return configuration
    }

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
        let own: [ReactionGesture]
        do throws(FlourishError) {
            own = (namesGestures ? configuration.ownGestures : try GestureSet.usersOwn()).gestures.map(\.gesture)
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
