extension ReactionEvent {
    /// A photograph that was taken.
    public struct PhotoDetail: Sendable, Hashable {
        /// Tells it from the run's other photographs.
        public var id: Int
        /// The file; `nil` where it was handed over.
        public var path: String?
        /// When it was taken, in seconds on the video's clock.
        public var photoTime: Double
        /// The reaction of which it was taken; `nil` where somebody asked for it.
        public var reactionType: ReactionType?
        /// What the hands said.
        public var gesture: ReactionGesture?
        /// Where in the upright picture.
        public var origin: PicturePoint?
        /// What it shows: `clean` or `withEffects`.
        public var content: String
        /// What it was made with.
        public var photoQualityPrioritization: PhotoQualityPrioritization
        /// How many frames were fused.
        public var frames: Int
        /// Its width in pixels.
        public var width: Int
        /// Its height in pixels.
        public var height: Int
        /// Whether it shows the instant that was asked for, rather than the first one after it.
        public var zeroShutterLag: Bool
        /// Why this instant was chosen; `nil` where it was asked for.
        public var choice: PhotoChoice?

        package init(
            id: Int, path: String?, photoTime: Double, content: String,
            photoQualityPrioritization: PhotoQualityPrioritization, frames: Int, width: Int, height: Int,
            zeroShutterLag: Bool
        ) {
            (self.id, self.path, self.photoTime, self.content) = (id, path, photoTime, content)
            self.photoQualityPrioritization = photoQualityPrioritization
            (self.frames, self.width, self.height, self.zeroShutterLag) = (frames, width, height, zeroShutterLag)
        }
    }
}

extension ReactionEvent.PhotoDetail {
    package func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(id, forKey: "id")
        try fields.encodeIfPresent(path, forKey: "path")
        try fields.encode(JSONLine.rounded(photoTime, places: 3), forKey: "photoTime")
        try fields.encodeIfPresent(reactionType, forKey: "reactionType")
        try fields.encodeIfPresent(gesture, forKey: "gesture")
        try fields.encodeIfPresent(origin?.rounded, forKey: "origin")
        try fields.encode(content, forKey: "content")
        try fields.encode(photoQualityPrioritization, forKey: "photoQualityPrioritization")
        try fields.encode(frames, forKey: "frames")
        try fields.encode(width, forKey: "width")
        try fields.encode(height, forKey: "height")
        try fields.encode(zeroShutterLag, forKey: "zeroShutterLag")
        guard var choice else { return }
        choice.sharpness = JSONLine.rounded(choice.sharpness, places: 3)
        choice.stillness = JSONLine.rounded(choice.stillness, places: 3)
        try fields.encode(choice, forKey: "choice")
    }
}
