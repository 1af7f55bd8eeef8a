import Effects
import Pipeline
import Reactions

/// What a quick look through a share of a recording found, as a file: several machines scan a long recording, and one of
/// them joins what they found to the plan that it would have made alone.
package struct PartialScan: Sendable, Hashable {
    /// The version of the file.
    private static let schema = 1

    /// The recording's fingerprint, as plans have it.
    var fingerprint: String
    /// Which share was looked through.
    var share: RecordingShare
    /// A hash of all that finding depends on, beside the recording.
    var recognition: String
    /// What is worth a close look; `nil` where all of the recording is.
    var stretches: CloseStretches?
    /// How messages name it.
    var name = "the scan"

    private static let advice = "give what flourish plan scan wrote"

    /// Reads a file.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable``, ``FlourishError/Code/inputUnusable``.
    package init(contentsOf path: String) throws(FlourishError) {
        let bytes = try NamedFile.read(path, advice: Self.advice)
        do {
            self = try JSONFault.decode(PartialScan.self, from: bytes)
        } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(.inputUnusable, "\(path): \(place)\(error.message); \(Self.advice)")
        }
        name = path
    }

    init(_ scan: SharedScan, share: RecordingShare, recognition: String) {
        self.share = share
        self.recognition = recognition
        fingerprint = scan.fingerprint
        stretches = scan.stretches
    }

    /// The text of its file.
    package var json: String { JSONLine.encode(self) + "\n" }

    /// Where the scan of a share lies unless told otherwise: beside the recording, as `call.scan-2-of-4.json` of
    /// `call.mp4`.
    package static func path(for recording: String, _ share: RecordingShare) -> String {
        let plan = ReactionPlan.path(for: recording)
        return plan.dropLast("plan.json".count) + "scan-\(share.number)-of-\(share.count).json"
    }
}

// MARK: - Joining

extension PartialScan {
    /// Refuses scans that are not those of all shares, each once, as this program would make them.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    static func check(_ scans: [PartialScan], recognition: String) throws(FlourishError) {
        guard let first = scans.first else { return }
        for scan in scans where scan.recognition != recognition {
            throw FlourishError(
                .inputUnusable,
                "\(scan.name): was made with other options, or by another version of the program or its models")
        }
        try RecordingShare.check(scans.map { ($0.name, $0.share) }, of: "--scans")
        try refuse(scans, unlessOf: first.fingerprint)
    }

    /// Refuses scans of another recording.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    static func refuse(_ scans: [PartialScan], unlessOf fingerprint: String) throws(FlourishError) {
        guard let other = scans.first(where: { $0.fingerprint != fingerprint }) else { return }
        throw FlourishError(
            .inputUnusable, "\(other.name): is for another recording, or the recording has changed; scan it again")
    }

    /// What is worth a close look in the whole; `nil` where everything is, since a quick look was not enough.
    static func stretches(of scans: [PartialScan]) -> CloseStretches? {
        var joined = CloseStretches()
        for scan in scans {
            guard let found = scan.stretches else { return nil }
            joined.add(found)
        }
        return joined
    }
}

extension PartialScan: Codable {
    private enum CodingKeys: String, CodingKey {
        case schema, fingerprint, share, shares, recognition, stretches, hands
    }

    private struct Stretch: Codable {
        /// Seconds, exactly as they were computed: what is joined is to be what one machine finds.
        var from, until: Double
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        guard try fields.decode(Int.self, forKey: .schema) == Self.schema else {
            throw DecodingError.dataCorruptedError(
                forKey: .schema, in: fields, debugDescription: "another version of the program made it")
        }
        let number = try fields.decode(Int.self, forKey: .share)
        guard let share = RecordingShare(number, of: try fields.decode(Int.self, forKey: .shares)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .share, in: fields, debugDescription: "there is no such share")
        }
        self.share = share
        fingerprint = try fields.decode(String.self, forKey: .fingerprint)
        recognition = try fields.decode(String.self, forKey: .recognition)
        guard let list = try fields.decodeIfPresent([Stretch].self, forKey: .stretches) else { return }
        var found = CloseStretches()
        for stretch in list {
            guard stretch.from <= stretch.until else {
                throw DecodingError.dataCorruptedError(
                    forKey: .stretches, in: fields, debugDescription: "a stretch ends before it begins")
            }
            found.add(stretch.from...stretch.until)
        }
        let hands = try fields.decodeIfPresent([CloseStretches.Sighting].self, forKey: .hands) ?? []
        for hand in hands { found.add(hand) }
        stretches = found
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(Self.schema, forKey: .schema)
        try fields.encode(fingerprint, forKey: .fingerprint)
        try fields.encode(share.number, forKey: .share)
        try fields.encode(share.count, forKey: .shares)
        try fields.encode(recognition, forKey: .recognition)
        let list = stretches?.ranges.map { Stretch(from: $0.lowerBound, until: $0.upperBound) }
        try fields.encodeIfPresent(list, forKey: .stretches)
        try fields.encodeIfPresent(stretches?.sightings, forKey: .hands)
    }
}
