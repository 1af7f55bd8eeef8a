import Foundation

/// The figures of a report that a ``Comparison`` reads from its JSON, whether it is an earlier report or today's.
struct ReportFigures: Decodable, Sendable {
    struct Score: Decodable, Sendable {
        var gesture: Gesture
        var pictures: String
        var shown: Int
        var right: Int
        var wrong: Int
    }

    struct ImageError: Decodable, Sendable {
        var path: String
        var truth: Gesture?
        var said: [Gesture]
    }

    struct Hold: Decodable, Sendable {
        var path: String
        var gesture: Gesture
        var start: Double
        var triggers: [Trigger]
    }

    struct FalseTrigger: Decodable, Sendable {
        var path: String
        var trigger: Trigger
    }

    struct HoldScore: Decodable, Sendable {
        struct Hit: Decodable, Sendable {
            struct Share: Decodable, Sendable {
                var part: Int
                var whole: Int
            }

            var name: String
            var hits: Share
        }

        struct Group: Decodable, Sendable {
            struct Rate: Decodable, Sendable { var events: Int }

            var group: String
            var videos: Int
            var rate: Rate
        }

        var hold: Double
        var hitsByGesture: [Hit]
        var groups: [Group]
    }

    var scores: [Score]
    var nonGestures: Int
    var nonGesturesTaken: Int
    var errors: [ImageError]
    var holds: [Hold]
    var falseTriggers: [FalseTrigger]
    var holdScores: [HoldScore]

    /// - Throws: ``EvaluationError`` if the file holds no report.
    init(contentsOf file: URL) throws {
        do {
            try self.init(Data(contentsOf: file))
        } catch {
            throw EvaluationError("\(file.path) is no report of --json: \(error)")
        }
    }

    init(_ json: Data) throws { self = try JSONDecoder().decode(ReportFigures.self, from: json) }

    /// The scores in all pictures.
    var ofAll: [Score] { scores.filter { $0.pictures == "all" } }

    /// The footage in numbers: only reports in which they are equal can be compared.
    var footage: [String] {
        ofAll.map { "\($0.shown) pictures of \($0.gesture.rawValue)" }
            + ["\(nonGestures) pictures without a gesture", "\(holds.count) labelled holds"]
            + (holdScores.first?.groups ?? []).map { "\($0.videos) videos of group \($0.group)" }
    }
}
