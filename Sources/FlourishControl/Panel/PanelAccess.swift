import Flourish
import NIOCore

/// Decides which requests may use a page. The requests must have the token, come from the page itself, and address the
/// machine by number.
///
/// - The *token* is the first part of every path. A link is sufficient to use the page, and there is no cookie that
///   another page could use.
/// - The *host* must be an address in digits or `localhost`. A name could point to this machine by DNS rebinding.
/// - The *origin*, which browsers send with requests of a page, must be the page itself.
struct PanelAccess: Sendable {
    private let token: [UInt8]
    let address: PanelAddress

    init(token: String, address: PanelAddress) {
        self.token = Array(token.utf8)
        self.address = address
    }

    /// The parts of a request on which the decision depends.
    struct Request {
        var path: String
        var host: String?
        var origin: String?
        /// `Sec-Fetch-Site`
        var site: String?
    }

    /// The reason for a refusal.
    enum Refusal: Error {
        /// The request has a host name, a different origin, or a different port.
        case misdirected
        /// The request has no valid token.
        case unknown
    }

    /// Returns the path after the token.
    func path(to request: Request) throws(Refusal) -> Substring {
        guard let host = request.host, isOwnHost(host) else { throw .misdirected }
        if let origin = request.origin, origin != "http://" + host { throw .misdirected }
        if let site = request.site, site != "same-origin", site != "none" { throw .misdirected }
        let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "", parts.count == 2 else { throw .unknown }
        let rest = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = rest.first, isToken(key) else { throw .unknown }
        return rest.count == 2 ? rest[1] : ""
    }

    /// Returns whether a request's first line, such as `GET /TOKEN/state HTTP/1.1`, has the token.
    func admits(_ line: some Collection<UInt8>) -> Bool {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return false }
        let parts = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2 && parts[0] == "" && isToken(parts[1])
    }

    private func isOwnHost(_ host: String) -> Bool {
        guard let colon = host.lastIndex(of: ":"), UInt16(host[host.index(after: colon)...]) == address.port else {
            return false
        }
        var name = host[..<colon]
        if name == "localhost" { return true }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return PanelAddress.isAddress(name)
    }

    /// Compares a token in constant time.
    private func isToken(_ key: Substring) -> Bool {
        let key = Array(key.utf8)
        var difference = UInt8(key.count == token.count ? 0 : 1)
        for index in token.indices {
            difference |= token[index] ^ (index < key.count ? key[index] : 0)
        }
        return difference == 0
    }
}
