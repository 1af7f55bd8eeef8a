package import Flourish
import NIOCore
import Synchronization

/// The state of `flourish evaluate --review`: the triggers of an evaluation, and the answers to each. A
/// ``TriggerReviewServer`` serves it to browsers.
package final class TriggerReview: Sendable {
    let triggers: [Evaluation.Trigger]
    let configuration: Configuration
    private let saved: Mutex<TriggerAnswers>
    /// The pictures of the recording that was shown last.
    private let shown = Mutex<(input: String, pictures: RecordingPictures)?>(nil)
    private let end = AsyncStream.makeStream(of: Void.self)

    package init(_ triggers: [Evaluation.Trigger], _ answers: TriggerAnswers, configuration: Configuration) {
        self.triggers = triggers
        self.configuration = configuration
        saved = Mutex(answers)
    }

    /// The answers so far.
    package var answers: TriggerAnswers { saved.withLock { $0 } }

    /// Waits until a page ends the review, or the task is cancelled.
    package func run() async {
        for await _ in end.stream { return }
    }

    /// Ends ``run()``.
    func finish() { end.continuation.yield() }

    /// Saves the answer to a trigger; `nil` removes it.
    ///
    /// - Throws: ``FlourishError`` if it cannot be saved. The former answer is then kept.
    func answer(_ index: Int, isMeant: Bool?) throws(FlourishError) {
        try saved.withLock { answers throws(FlourishError) in
            var changed = answers
            changed[triggers[index]] = isMeant
            try changed.save()
            answers = changed
        }
    }

    /// Returns the pictures of a trigger's recording; `nil` if the recording's path is not UTF-8.
    func pictures(of index: Int) -> RecordingPictures? {
        guard let input = triggers[index].input.text else { return nil }
        return shown.withLock { shown in
            if let shown, shown.input == input { return shown.pictures }
            let pictures = RecordingPictures(of: input, configuration)
            shown = (input, pictures)
            return pictures
        }
    }
}

/// Serves the page of an evaluation's triggers over HTTP to clients that have its token.
package final class TriggerReviewServer: Sendable {
    private let server: PageServer

    /// The page's URL, with the token that gives access to the recordings.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` if the page is not installed.
    package init(address: PanelAddress, review: TriggerReview) async throws(FlourishError) {
        let files = try PanelFiles(session: ReactionSession(configuration: review.configuration), page: .triggers).files
        let clients = FollowerCount(maximum: 24)
        server = try await PageServer(address: address, name: "evaluation", option: "--address") { access in
            TriggerResponder(access: access, review: review, files: files, clients: clients)
        }
    }

    /// Closes all connections.
    package func stop() async { await server.stop(within: .milliseconds(300)) }
}
