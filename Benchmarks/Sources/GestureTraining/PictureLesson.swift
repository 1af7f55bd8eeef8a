import FoundationEssentials
package import Vision

/// A file for training, with the labels of its hands over time: a line of the output of `evaluate --lessons`.
package struct PictureLesson: Decodable, Sendable {
    package struct Span: Decodable, Sendable {
        /// Unlabelled hands are not used.
        package var shows: HandPictureClass?
        /// A value that indicates whether two hands make a heart; see ``labelsHearts``.
        package var isHeart: Bool?
        package var source: String
        /// A judge trained without this fold has seen none of this source's people.
        package var fold: Int
        package var start: Double
        package var end: Double

        /// True if hearts are labelled.
        package var labelsHearts: Bool { isHeart == true || shows != nil }
    }

    package enum Kind: String, Decodable, Sendable, CaseIterable { case photo, clip, video }

    package var file: String
    package var kind: Kind
    package var spans: [Span]

    /// Returns the label at a time.
    package func span(at time: Double) -> Span? { spans.first { $0.start <= time && time <= $0.end } }

    /// Returns the training files of a folder.
    package static func all(in folder: String) throws -> [PictureLesson] {
        let lines = try String(contentsOf: URL(filePath: folder + "/lessons.jsonl"), encoding: .utf8)
        return try lines.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }
}

extension HandPictureClass: Decodable {}
