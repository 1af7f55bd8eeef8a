package import Flourish
import NIOCore

/// The address at which a page is served: one of this machine's addresses, and a port.
package struct PanelAddress: Sendable, Hashable {
    /// An IPv4 or IPv6 address in digits.
    package let host: String
    /// The port; 0 if the system chooses one.
    package let port: UInt16

    /// An address that only this machine's users can reach.
    package static let loopback = PanelAddress(host: "127.0.0.1", port: 0)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `PORT`, `HOST`, `HOST:PORT` or `[HOST]:PORT`; an empty text is ``loopback``.
    ///
    /// ```swift
    /// let address = try PanelAddress("[::1]:8080")
    /// print(address.host, address.port)  // ::1 8080
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package init(_ text: String) throws(FlourishError) {
        let refusal = FlourishError(
            .usage,
            "\(text): the panel's address must be a port, or a numeric address such as 127.0.0.1:8080 or [::1]:8080")
        if text.isEmpty { self = .loopback; return }
        if let port = UInt16(text) { self.init(host: Self.loopback.host, port: port); return }
        var host = text[...]
        var port: UInt16 = 0
        let colon = text.lastIndex(of: ":")
        // An IPv6 address without brackets contains colons.
        if let colon, text[..<colon].hasSuffix("]") || !text[..<colon].contains(":") {
            guard let number = UInt16(text[text.index(after: colon)...]) else { throw refusal }
            (host, port) = (text[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host == "localhost" { host = Self.loopback.host[...] }
        guard Self.isAddress(host) else { throw refusal }
        self.init(host: String(host), port: port)
    }

    var isIPv6: Bool { host.contains(":") }
    /// True if the address means all addresses of the machine.
    var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// The address and port as in a URL.
    var authority: String { (isIPv6 ? "[\(host)]" : host) + ":\(port)" }

    /// The address for a browser on this machine.
    var shown: PanelAddress {
        isEverywhere ? PanelAddress(host: isIPv6 ? "::1" : Self.loopback.host, port: port) : self
    }

    /// Returns whether a text is an address in digits: four numbers, or hexadecimal digits with colons.
    static func isAddress(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return text.contains(":") && text.allSatisfy { $0 == ":" || $0.isHexDigit }
    }
}
