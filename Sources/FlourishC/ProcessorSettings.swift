internal import CFlourish
import Flourish
import FoundationEssentials
import Platform
import Reactions

/// The settings of a processor: a JSON object with the tables of a configuration file, and the table `processor`.
struct ProcessorSettings {
    /// The settings in force.
    private var settings = Settings()
    /// The values of the table `processor`.
    private var isLive = false
    private var writesOverlay = false
    private(set) var isFullRange = false
    private(set) var matrix: ReactionProcessor.Matrix?
    private var paths: [String: String] = [:]

    private static let ownTable = "processor"

    /// - Parameter json: The text of the object; `nil` for the defaults.
    /// - Throws: ``FlourishError/Code/usage`` for an unknown setting or an invalid value.
    init(json: String?) throws(FlourishError) {
        let tables = try Self.tables(of: json ?? "{}")
        var places = SettingsPlaces.located(ignoresFiles: true)
        let own = tables[Self.ownTable] ?? [:]
        for (name, value) in own.sorted(by: { $0.key < $1.key }) {
            if name == "configuration" {
                places = try Self.places(value)
            } else {
                try set(name, to: value)
            }
        }
        settings = try Settings.load(from: places)
        for (table, values) in tables.sorted(by: { $0.key < $1.key }) where table != Self.ownTable {
            for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                let name = "\(table).\(name)"
                try Self.check(name)
                try settings.set(name, to: Self.settingValue(value, of: name), called: name)
            }
        }
    }

    /// Returns the configuration of a session.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if settings contradict each other.
    func configuration() throws(FlourishError) -> Configuration {
        var configuration = try settings.configuration()
        configuration.isLive = isLive
        configuration.writesOverlay = writesOverlay
        var resources = configuration.resources ?? .located(executable: LibraryFile.path)
        resources.assets = paths["assets"] ?? resources.assets
        resources.models = paths["models"] ?? resources.models
        resources.liteRTLibrary = paths["runtime"] ?? resources.liteRTLibrary
        configuration.resources = resources
        return configuration
    }

    private static func tables(of json: String) throws(FlourishError) -> [String: [String: JSONValue]] {
        let document: JSONValue
        do {
            document = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        } catch {
            throw FlourishError(.usage, "the settings are not JSON; give an object of tables")
        }
        guard case .object(let tables) = document else {
            throw FlourishError(.usage, "the settings must be a JSON object of tables")
        }
        var found: [String: [String: JSONValue]] = [:]
        for (name, table) in tables {
            guard case .object(let values) = table else {
                throw FlourishError(
                    .usage, #"\#(name) must be a table of settings, as in {"recognition": {"hold": 0.7}}"#)
            }
            found[name] = values
        }
        return found
    }

    /// Refuses a setting that does not apply to frames.
    private static func check(_ name: String) throws(FlourishError) {
        guard let key = SettingKey.named(name), !SettingKey.tablesOfFrames.contains(String(key.table)) else { return }
        throw FlourishError(.usage, "\(name) has no effect on frames; remove it")
    }

    /// Returns the places of the configuration files to read besides the administrator's locks.
    private static func places(_ value: JSONValue) throws(FlourishError) -> SettingsPlaces {
        switch value {
        case .flag(let readsFiles): .located(ignoresFiles: !readsFiles)
        case .text(let path): .located(file: path)
        default:
            throw FlourishError(
                .usage,
                "processor.configuration must be true, false or the path of a file, not \(JSONLine.encode(value))")
        }
    }

    private mutating func set(_ name: String, to value: JSONValue) throws(FlourishError) {
        switch (name, value) {
        case ("live", .flag(let flag)): isLive = flag
        case ("full-range", .flag(let flag)): isFullRange = flag
        case ("overlay", .flag(let flag)): writesOverlay = flag
        case ("matrix", .text(let text)) where ReactionProcessor.Matrix(rawValue: text) != nil:
            matrix = ReactionProcessor.Matrix(rawValue: text)
        case ("assets", .text(let path)), ("models", .text(let path)), ("runtime", .text(let path)): paths[name] = path
        case ("live", _), ("full-range", _), ("overlay", _):
            throw FlourishError(.usage, "processor.\(name) must be true or false, not \(JSONLine.encode(value))")
        case ("matrix", _):
            let choices = ReactionProcessor.Matrix.allCases.map(\.rawValue).joined(separator: ", ")
            throw FlourishError(
                .usage, "processor.matrix must be one of \(choices), not \(JSONLine.encode(value))")
        case ("assets", _), ("models", _), ("runtime", _):
            throw FlourishError(.usage, "processor.\(name) must be a path, not \(JSONLine.encode(value))")
        default:
            throw FlourishError(
                .usage,
                "unknown setting processor.\(name); it is one of assets, configuration, full-range, live, matrix, models, overlay, runtime"
            )
        }
    }

    private static func settingValue(_ value: JSONValue, of name: String) throws(FlourishError) -> SettingValue {
        if let value = SettingValue(value) { return value }
        throw FlourishError(
            .usage,
            "\(name) must be true or false, a number, a string or an array of strings, not \(JSONLine.encode(value))")
    }
}

/// The file that contains this code.
enum LibraryFile {
    /// The path of the shared library, with symbolic links resolved; of the program if the code is linked into one.
    static let path: String? = {
        guard let name = unsafe cflourish_file(), let resolved = unsafe realpath(name, nil) else {
            return Resources.executablePath()
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }()
}
