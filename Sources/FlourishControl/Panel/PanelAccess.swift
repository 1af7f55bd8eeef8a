/// Decides who may see the panel. Whoever knows the token, from a page of the panel's own, and
/// under an address of the machine's own.
///
/// - The *token* is the first part of every path, so that a link is all it takes,
///   and no cookie is kept that another page could use.
/// - A *host* that is a name could lead here by a trick of somebody's name server
///   (DNS rebinding): only addresses in digits and `localhost` are served.
/// - An *origin*, which browsers send along when a page asks for something, must
///   be the panel itself.
struct PanelAccess: Sendable {
    private let token: [UInt8]
    let address: PanelAddress

    init(token: String, address: PanelAddress) {
        self.token = Array(token.utf8)
        self.address = address
    }

    /// What a request says of itself.
    struct Request {
        var path: String
        var host: String?
        var origin: String?
        /// `Sec-Fetch-Site`
        var site: String?
    }

    /// Why somebody is sent away.
    enum Refusal: Error {
        /// It came under a name, from another page, or to another port.
        case misdirected
        /// Without the token there is nothing here.
        case unknown
    }

    /// The path behind the token.
    func path(to request: Request) throws(Refusal) -> Substring {
        guard let host = request.host, isOurs(host) else { throw .misdirected }
        if let origin = request.origin, origin != "http://" + host { throw .misdirected }
        if let site = request.site, site != "same-origin", site != "none" { throw .misdirected }
        let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "", parts.count == 2 else { throw .unknown }
        let rest = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = rest.first, isToken(key) else { throw .unknown }
        return rest.count == 2 ? rest[1] : ""
    }

    /// Whether a request's first line, such as `GET /TOKEN/state HTTP/1.1`, has the token.
    func admits(_ line: some Collection<UInt8>) -> Bool {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return false }
        let parts = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2 && parts[0] == "" && isToken(parts[1])
    }

    private func isOurs(_ host: String) -> Bool {
        guard let colon = host.lastIndex(of: ":"), UInt16(host[host.index(after: colon)...]) == address.port else {
            return false
        }
        var name = host[..<colon]
        if name == "localhost" { return true }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return PanelAddress.isAddress(name)
    }

    /// Takes as long for a wrong token as for the right one.
    private func isToken(_ key: Substring) -> Bool {
        let key = Array(key.utf8)
        var difference = UInt8(key.count == token.count ? 0 : 1)
        for index in token.indices {
            difference |= token[index] ^ (index < key.count ? key[index] : 0)
        }
        return difference == 0
    }

    /// A new token: 128 random bits in hexadecimal.
    static func makeToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let byte = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined()
    }
}
