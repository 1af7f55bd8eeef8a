package import Flourish
import NIOCore

/// Serves the page of a review over HTTP to those who know its token.
package final class ReviewServer: Sendable {
    /// How long pages have at the end to hear of it.
    private static let farewell = TimeAmount.milliseconds(300)

    private let server: PageServer

    /// What to open in a browser; whoever has it can see the recording, and change the plan.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` where the page is not installed.
    package init(address: PanelAddress, review: Review) async throws(FlourishError) {
        let files = try PanelFiles(session: ReactionSession(configuration: review.configuration), page: .review).files
        let (followers, viewers, onlookers) = (FollowerCount(), FollowerCount(most: 6), FollowerCount(most: 48))
        server = try await PageServer(address: address, name: "review", option: "--address") { access in
            ReviewResponder(
                access: access, review: review, files: files, followers: followers, viewers: viewers,
                onlookers: onlookers)
        }
    }

    /// Ends all connections.
    package func stop() async { await server.stop(within: Self.farewell) }
}
