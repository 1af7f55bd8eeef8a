/// Why an effect's description or one of its sprites cannot be used.
package struct EffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file at fault, as it was given.
    package let file: String
    /// Where in the file: `emitters[0].size`. Empty where the whole file is meant.
    package let key: String
    /// What is wrong with it, in one sentence without a full stop.
    package let message: String
    /// Whether the file is absent or cannot be read, so that nothing is wrong in it.
    package let isUnreadable: Bool

    package init(file: String, key: String = "", message: String, isUnreadable: Bool = false) {
        self.file = file
        self.key = key
        self.message = message
        self.isUnreadable = isUnreadable
    }

    package static func unreadable(_ file: String, _ message: String) -> EffectError {
        EffectError(file: file, message: message, isUnreadable: true)
    }

    package var description: String {
        key.isEmpty ? "\(file): \(message)" : "\(file): \(key): \(message)"
    }
}

extension FlourishError {
    /// Trouble with a file that somebody wrote.
    package init(_ error: EffectError) {
        self.init(error.isUnreadable ? .inputUnavailable : .inputUnusable, error.description)
    }
}
