import Flourish

/// The newest picture of the output, for all who look at the panel. Pictures are encoded only while
/// somebody asks for them, one at a time, and a few times a second at most.
actor PanelPreview {
    /// The height of the pictures in pixels.
    private static let height = 360
    /// How long a picture counts as new, so that two who look share it.
    private static let pace = Duration.milliseconds(90)
    /// An older picture is not shown: nobody looked for a while, and the next one comes at once.
    private static let longest = Duration.seconds(2)

    private let session: ReactionSession
    private var newest: (picture: Picture, time: ContinuousClock.Instant)?
    private var isTaking = false

    /// A picture as JPEG.
    struct Picture: Sendable {
        let bytes: [UInt8]
        /// When it is shown, in seconds on the video's clock.
        let time: Double
    }

    init(session: ReactionSession) { self.session = session }

    /// The newest picture, and has the next one taken; `nil` where there is none yet.
    func next() -> Picture? {
        let age = newest.map { ContinuousClock.now - $0.time }
        if !isTaking, age.map({ $0 >= Self.pace }) ?? true {
            isTaking = true
            Task { await take() }
        }
        guard let newest, let age, age < Self.longest else { return nil }
        return newest.picture
    }

    private func take() async {
        if let preview = try? await session.timedPreview(height: Self.height) {
            newest = (Picture(bytes: preview.bytes, time: preview.time), ContinuousClock.now)
        }
        isTaking = false
    }
}
