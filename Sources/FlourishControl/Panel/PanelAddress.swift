package import Flourish

/// Where the panel is served: an address of this machine, and a port.
package struct PanelAddress: Sendable, Hashable {
    /// An IPv4 or IPv6 address in digits.
    package let host: String
    /// 0 for one that the system chooses.
    package let port: UInt16

    /// Nobody but this machine's own users reaches it there.
    package static let loopback = PanelAddress(host: "127.0.0.1", port: 0)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `PORT`, `HOST`, `HOST:PORT` or `[HOST]:PORT`; nothing at all is ``loopback``.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package init(_ text: String) throws(FlourishError) {
        let refusal = FlourishError(
            .usage,
            "\(text): the panel's address must be a port, or an address in digits such as 127.0.0.1:8080 or [::1]:8080")
        if text.isEmpty { self = .loopback; return }
        if let port = UInt16(text) { self.init(host: Self.loopback.host, port: port); return }
        var host = text[...]
        var port: UInt16 = 0
        let colon = text.lastIndex(of: ":")
        // An IPv6 address without brackets has colons of its own.
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
    /// Whether it stands for every address of the machine.
    var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// As it stands in a URL.
    var authority: String { (isIPv6 ? "[\(host)]" : host) + ":\(port)" }

    /// What to type on this machine to reach it.
    var shown: PanelAddress {
        isEverywhere ? PanelAddress(host: isIPv6 ? "::1" : Self.loopback.host, port: port) : self
    }

    /// Whether a text is an address in digits: four numbers, or something in hexadecimal with colons.
    static func isAddress(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return text.contains(":") && text.allSatisfy { $0 == ":" || $0.isHexDigit }
    }
}
