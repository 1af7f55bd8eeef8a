import FoundationEssentials
import Platform

/// Loads custom gestures from the file that the settings name, and validates settings that refer to gestures.
extension Settings {
    /// The path of the file with the custom gestures: the path in the settings, or otherwise the default path.
    public var gesturesPath: String {
        if case .text(let file)? = self["recognition.gestures-file"]?.value { return file }
        return GestureSet.usersPath()
    }

    /// Returns the custom gestures. A file that a setting names must exist. The default file may be missing.
    ///
    /// ```swift
    /// for own in try settings.ownGestures().gestures {
    ///     print(own.gesture.rawValue, "triggers", own.reactionType)
    /// }
    /// ```
    ///
    /// - Throws: ``FlourishError`` if the file is damaged or cannot be read.
    public func ownGestures() throws(FlourishError) -> GestureSet {
        namesGestures ? try GestureSet(contentsOf: gesturesPath) : try .usersOwn()
    }

    /// Adds the custom gestures of the default file to a configuration made from these settings. Does nothing if a
    /// setting names another file, because the configuration then has its gestures already.
    ///
    /// ```swift
    /// var configuration = try settings.configuration()
    /// try settings.addUsersGestures(to: &configuration)
    /// let session = ReactionSession(configuration: configuration)
    /// ```
    ///
    /// - Throws: ``FlourishError`` if the user's file is damaged or cannot be read.
    public func addUsersGestures(to configuration: inout Configuration) throws(FlourishError) {
        guard configuration.gesturesEnabled, !namesGestures else { return }
        configuration.ownGestures = try .usersOwn()
    }

    /// Returns the configuration from these settings, with the custom gestures of the default file.
    ///
    /// - Throws: As ``configuration()`` and ``addUsersGestures(to:)``.
    package func configurationWithUsersGestures() throws(FlourishError) -> Configuration {
        var configuration = try configuration()
        try addUsersGestures(to: &configuration)
        return configuration
    }

    /// True if a setting names a file of gestures.
    private var namesGestures: Bool { self["recognition.gestures-file"]?.value != nil }

    /// Returns a configuration for teaching gestures, with the known gestures and the effects of all folders.
    ///
    /// The file of gestures need not exist yet. Settings of gestures that are not yet taught are ignored.
    ///
    /// ```swift
    /// let teacher = GestureTeacher(configuration: try settings.teachingConfiguration())
    /// let lesson = try await teacher.learn("three", from: ["three.mp4"], reactionType: .confetti)
    /// ```
    ///
    /// - Throws: ``FlourishError`` if the file is damaged or cannot be read.
    public func teachingConfiguration() throws(FlourishError) -> Configuration {
        var configuration = Configuration()
        if let folders = self["effects.folders"] {
            do { try folders.key.write(folders.value, &configuration) } catch {
                throw folders.origin.place.isFile ? error.located(at: folders.origin) : error
            }
        }
        if FileManager.default.fileExists(atPath: gesturesPath) {
            configuration.ownGestures = try GestureSet(contentsOf: gesturesPath)
        }
        return configuration
    }

    /// Throws if a setting disables recognition, for commands that only recognise gestures.
    ///
    /// - Throws: ``FlourishError/Code/usage`` with a message that names the file.
    public func requireGestures() throws(FlourishError) {
        guard let entry = self["recognition.gestures"], entry.value == .flag(false) else { return }
        let held = entry.lockedBy == nil ? "" : " for all users of this machine"
        throw FlourishError(
            .usage, "\(entry.origin.text): recognition.gestures is false\(held), so gestures are not detected")
    }

    /// Returns the faults of settings that name unknown gestures, with the file and the line.
    func gestureFaults(of configuration: Configuration) -> [FlourishError] {
        let others = gesturesNamed.filter { !ReactionGesture.allCases.contains($0.gesture) }
        guard !others.isEmpty else { return [] }
        let own: [ReactionGesture]
        do throws(FlourishError) {
            own = (namesGestures ? configuration.ownGestures : try GestureSet.usersOwn()).gestures.map(\.gesture)
        } catch { return [error] }
        let known = (ReactionGesture.allCases + own).map(\.rawValue)
        return others.filter { !own.contains($0.gesture) }.map { gesture, purpose, origin in
            FlourishError(
                .usage,
                (origin.place.isFile ? "\(origin.text): " : "")
                    + "there is no gesture \(gesture.rawValue) to \(purpose); \(gesture.rawValue.suggestion(among: known))use one of "
                    + known.joined(separator: ", "))
        }
    }

    /// The gestures that settings name, in the order of the settings, with the purpose and the origin of each.
    private var gesturesNamed: [(gesture: ReactionGesture, purpose: String, origin: SettingOrigin)] {
        entries.flatMap { entry in
            let names: [String], purpose: String
            switch entry.value {
            case .list(let list)? where entry.key.kind == .gestures: (names, purpose) = (list, "disable")
            case .text? where entry.key.table == SettingKey.bindingsTable:
                (names, purpose) = ([String(entry.key.shortName)], "bind")
            case .text? where entry.key.table == SettingKey.sensitivitiesTable:
                (names, purpose) = ([String(entry.key.shortName)], "set the sensitivity of")
            default: (names, purpose) = ([], "")
            }
            return names.compactMap(ReactionGesture.init(rawValue:)).map { ($0, purpose, entry.origin) }
        }
    }
}
