import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the tests and the program were built for: `Scripts/test --sanitize`.
package enum Sanitizer: String, Sendable {
    case address = "__asan_init"
    case thread = "__tsan_init"

    /// Nil where there is none.
    package static let current = [address, thread].first { unsafe dlsym(nil, $0.rawValue) != nil }

    /// How many times as long everything may take: what a sanitizer watches is five to fifteen times as slow.
    package static let patience = current == nil ? 1 : 10
}
