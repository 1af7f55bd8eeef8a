/// Why an effect's description or one of its sprites cannot be used.
package struct EffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file at fault, as it was given.
    package let file: String
    /// Where in the file: `emitters[0].size`. Empty where the whole file is meant.
    package let key: String
    /// What is wrong with it, in one sentence without a full stop.
    package let message: String

    package init(file: String, key: String = "", message: String) {
        self.file = file
        self.key = key
        self.message = message
    }

    package var description: String {
        key.isEmpty ? "\(file): \(message)" : "\(file): \(key): \(message)"
    }
}
