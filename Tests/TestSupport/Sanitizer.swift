import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The sanitizer that the tests and the program were built with: `Scripts/test --sanitize`.
package enum Sanitizer: String, Sendable {
    case address = "__asan_init"
    case thread = "__tsan_init"

    /// Nil if there is none.
    package static let current = [address, thread].first { unsafe dlsym(nil, $0.rawValue) != nil }

    /// The factor on all time limits: sanitizers slow programs down by five to fifteen times.
    package static let timeoutFactor = current == nil ? 1 : 10
}
