import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the tests and the program were built for: `Scripts/test --sanitize`.
enum Sanitizer: String, Sendable {
    case address = "__asan_init"
    case thread = "__tsan_init"

    /// Nil where there is none.
    static let current = [address, thread].first { unsafe dlsym(nil, $0.rawValue) != nil }
}
