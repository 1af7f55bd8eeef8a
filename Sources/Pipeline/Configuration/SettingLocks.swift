/// Settings that the system's file locks: their values hold for everybody on the machine.
package struct SettingLocks: Sendable {
    /// The file that locks each, by the setting's name.
    package var files: [String: String] = [:]
    /// Writes their values into a configuration.
    package var write: @Sendable (inout Configuration) -> Void = { _ in }

    package init() {}
}
