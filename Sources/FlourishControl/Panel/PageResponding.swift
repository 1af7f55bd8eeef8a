import NIOCore
import NIOHTTP1

/// What answers the requests to a page: the panel's, or the review's. All come by the same gate (``PanelAccess``).
protocol PageResponding: Sendable {
    var access: PanelAccess { get }
    /// What is read of a request's body, in bytes; whoever sends more is cut off.
    var mostRead: Int { get }

    /// Answers somebody who may ask.
    ///
    /// - Parameter path: what follows the token, without a query.
    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse
}

extension PageResponding {
    var mostRead: Int { 64 * 1024 }

    /// Answers those who may ask, and sends all others away.
    func answer(to head: HTTPRequestHead, body: ByteBuffer) async -> PanelResponse {
        let target = head.uri.prefix { $0 != "?" }
        let request = PanelAccess.Request(
            path: String(target), host: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"),
            site: head.headers.first(name: "Sec-Fetch-Site"))
        switch Result(catching: { () throws(PanelAccess.Refusal) in try access.path(to: request) }) {
        case .success(let path): return await respond(to: head, at: path, body: body)
        case .failure(.misdirected):
            return .text(
                .forbidden, "this page is served under the address that flourish printed, and to no other page\n")
        case .failure(.unknown):
            return .text(.notFound, "there is nothing here; use the whole address that flourish printed\n")
        }
    }
}
