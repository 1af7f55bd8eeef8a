import Effects
import FoundationEssentials
import Pipeline
import Reactions

/// OpenTimelineIO: a timeline with the recording as its only clip, and a marker on the clip for each reaction.
/// https://opentimelineio.readthedocs.io/en/stable/tutorials/otio-serialized-schema.html
///
/// The clip has version 1 of the schema `Clip`, which all readers support. A marker's `metadata.flourish.id` is the
/// reaction's number. Programs that drop this field keep the name, which also contains the number. Resolve expects a
/// marker's note in Resolve's own metadata.
enum OTIOMarkers {
    static func write(_ sheet: MarkerSheet) -> String {
        let (rate, name) = (sheet.rate, JSONValue.text(String(RecordedFile.name(of: sheet.source.path))))
        let whole = range(0, sheet.length, rate)
        let clip = object(
            "Clip.1",
            [
                "name": name, "source_range": whole, "effects": .array([]),
                "markers": .array(sheet.sorted.map { marker($0, rate) }),
                "media_reference": object(
                    "ExternalReference.1",
                    [
                        "name": name, "target_url": .text(sheet.source.address), "available_range": whole,
                        "metadata": .object([:]),
                    ]),
                "metadata": .object(["flourish": .object(["fingerprint": .text(sheet.source.fingerprint)])]),
            ])
        let track = object("Track.1", list("Video 1", of: [clip]).merging(["kind": .text("Video")]) { $1 })
        return object(
            "Timeline.1",
            [
                "name": name, "metadata": .object([:]), "global_start_time": .null,
                "tracks": object("Stack.1", list("tracks", of: [track])),
            ]
        ).text(order: ["OTIO_SCHEMA", "name"])
    }

    private static func marker(_ marker: PlanMarker, _ rate: TimecodeRate) -> JSONValue {
        var metadata: [String: JSONValue] = ["flourish": .object(["id": .integer(marker.id)])]
        if !marker.comment.isEmpty { metadata["Resolve_OTIO"] = .object(["Note": .text(marker.comment)]) }
        return object(
            "Marker.2",
            [
                "name": .text(marker.name),
                "color": .text((marker.isEnabled ? MarkerColour.on : .off).name.uppercased()),
                "marked_range": range(marker.frame, marker.duration, rate), "comment": .text(marker.comment),
                "metadata": .object(metadata),
            ])
    }

    private static func list(_ name: String, of children: [JSONValue]) -> [String: JSONValue] {
        [
            "name": .text(name), "source_range": .null, "effects": .array([]), "markers": .array([]),
            "metadata": .object([:]), "children": .array(children),
        ]
    }

    private static func range(_ start: Int, _ duration: Int, _ rate: TimecodeRate) -> JSONValue {
        object("TimeRange.1", ["start_time": time(start, rate), "duration": time(duration, rate)])
    }

    private static func time(_ frame: Int, _ rate: TimecodeRate) -> JSONValue {
        object("RationalTime.1", ["rate": .number(rate.framesPerSecond), "value": .integer(frame)])
    }

    private static func object(_ schema: String, _ fields: [String: JSONValue]) -> JSONValue {
        .object(fields.merging(["OTIO_SCHEMA": .text(schema)]) { $1 })
    }
}

extension ReactionPlan.Source {
    /// The recording's path as a URL, such as `file:///home/you/call.mp4`.
    package var address: String { URL(filePath: path).absoluteURL.absoluteString }
}

/// Reads the markers of an OpenTimelineIO timeline, on the recording's clips and on the timeline or tracks above them.
/// Converts their times to the recording's clock.
struct OTIOReading {
    /// A segment of the recording on the timeline. All times are in seconds.
    private struct Piece {
        var begin: Double
        var duration: Double
        /// The segment's start in the recording.
        var offset: Double
        /// The start of the recording's own timecode, from which a clip's times are counted.
        var mediaStart: Double
        var file: Substring
        var markers: [(value: JSONValue, place: String)]
    }

    private let source: ReactionPlan.Source
    private let rate: TimecodeRate
    private var pieces: [Piece] = []
    /// The markers on the timeline's stacks and tracks, which contain the clips.
    private var above: [(value: JSONValue, place: String)] = []
    private var tolerance: Double

    /// - Throws: The error, with its line or its path in the JSON.
    static func read(_ json: [UInt8], source: ReactionPlan.Source, rate: TimecodeRate) throws(MarkerFault)
        -> FoundMarkers
    {
        let tree: JSONValue
        do {
            tree = try JSONFault.decode(JSONValue.self, from: json)
        } catch {
            throw MarkerFault(error.place, "\(error.message); export the timeline as OpenTimelineIO again")
        }
        guard tree.schema == "Timeline", let tracks = tree["tracks"] else {
            throw MarkerFault("", "not an OpenTimelineIO timeline; export one that contains the recording")
        }
        var reading = OTIOReading(source: source, rate: rate)
        try reading.walk(tracks, at: 0, "tracks")
        return try reading.found(
            globalStart: try tree["global_start_time"].flatMap { (value) throws(MarkerFault) in
                value == .null ? nil : try Self.seconds(value, "global_start_time")
            } ?? 0)
    }

    private init(source: ReactionPlan.Source, rate: TimecodeRate) {
        (self.source, self.rate, tolerance) = (source, rate, 0.5 / rate.framesPerSecond)
    }

    /// Reads the contents of a stack or a track.
    ///
    /// - Returns: The duration of the stack or track in seconds.
    @discardableResult
    private mutating func walk(_ item: JSONValue, at begin: Double, _ place: String) throws(MarkerFault) -> Double {
        let markers = Self.list(item["markers"], place + ".markers")
        var duration = 0.0
        switch item.schema {
        case "Clip":
            duration = try parse(item, markers, at: begin, place)
        case "Stack", "Track":
            if begin == 0 { above += markers }
            for (child, place) in Self.list(item["children"], place + ".children") {
                let isTrack = item.schema == "Track"
                let length = try walk(child, at: isTrack ? begin + duration : begin, place)
                duration = isTrack ? duration + length : max(duration, length)
            }
            if let range = try Self.range(item["source_range"], place + ".source_range") { duration = range.duration }
        case "Gap":
            duration = try Self.range(item["source_range"], place + ".source_range")?.duration ?? 0
        default: break
        }
        return duration
    }

    private mutating func parse(
        _ clip: JSONValue, _ markers: [(value: JSONValue, place: String)], at begin: Double, _ place: String
    ) throws(MarkerFault) -> Double {
        if case .text(let fingerprint)? = clip["metadata"]?["flourish"]?["fingerprint"],
            fingerprint != source.fingerprint
        {
            throw MarkerFault(place, "the markers belong to another recording than the plan's, \(source.path)")
        }
        var key = "DEFAULT_MEDIA"
        if case .text(let active)? = clip["active_media_reference_key"] { key = active }
        let media = clip["media_reference"] ?? clip["media_references"]?[key]
        let available = try Self.range(media?["available_range"], place + ".media_reference.available_range")
        guard let trim = try Self.range(clip["source_range"], place + ".source_range") ?? available else { return 0 }
        var file: Substring = ""
        if case .text(let address)? = media?["target_url"] { file = Self.fileName(address) }
        let mediaStart = available?.start ?? 0
        pieces.append(
            Piece(
                begin: begin, duration: trim.duration, offset: trim.start - mediaStart, mediaStart: mediaStart,
                file: file,
                markers: markers))
        return trim.duration
    }

    /// Returns all markers, at times in the recording.
    private mutating func found(globalStart: Double) throws(MarkerFault) -> FoundMarkers {
        // If a clip has the recording's name, clips of other files are ignored.
        let name = RecordedFile.name(of: source.path)
        let own = pieces.filter { $0.file == name }
        let pieces = own.isEmpty ? pieces : own
        var markers: [FoundMarker] = []
        for piece in pieces {
            for (value, place) in piece.markers {
                markers.append(try marker(value, place) { $0 - piece.mediaStart })
            }
        }
        let end = self.pieces.map { $0.begin + $0.duration }.max() ?? 0
        for (value, place) in above {
            markers.append(
                try marker(value, place) { [rate] time in
                    let time = time >= globalStart && time > end ? time - globalStart : time
                    let half = 0.5 / rate.framesPerSecond
                    let piece = pieces.first { time >= $0.begin - half && time < $0.begin + $0.duration - half }
                    return piece.map { time - $0.begin + $0.offset } ?? time
                })
        }
        return FoundMarkers(markers: markers, tolerance: tolerance)
    }

    private mutating func marker(
        _ value: JSONValue, _ place: String, time: (Double) -> Double
    ) throws(MarkerFault) -> FoundMarker {
        guard let range = try Self.range(value["marked_range"], place + ".marked_range") else {
            throw MarkerFault(place + ".marked_range", "the key is missing")
        }
        // On a timeline with fewer frames a second, an unmoved marker may be off by half a frame of the timeline.
        tolerance = max(tolerance, 0.5 / range.rate)
        var name = ""
        if case .text(let text)? = value["name"] { name = text }
        let (title, id) = FoundMarker.parse(name: name)
        var marker = FoundMarker(place: place, id: id, title: title, start: time(range.start))
        if case .integer(let number)? = value["metadata"]?["flourish"]?["id"] { marker.id = number }
        if range.duration > 1.5 / range.rate { marker.length = .seconds(range.duration) }
        if case .text(let colour)? = value["color"] { marker.isEnabled = MarkerColour(colour).map { $0 == .on } }
        return marker
    }

    // MARK: Parts of the schema

    /// Returns the name of the file at a URL or a path.
    private static func fileName(_ address: String) -> Substring {
        let path = address.hasPrefix("file:") ? URL(string: address)?.path : nil
        return RecordedFile.name(of: path ?? address)
    }

    private static func list(_ value: JSONValue?, _ place: String) -> [(value: JSONValue, place: String)] {
        guard case .array(let values)? = value else { return [] }
        return values.enumerated().map { ($1, "\(place)[\($0)]") }
    }

    /// Parses a `TimeRange` in seconds; returns `nil` if there is none.
    private static func range(
        _ value: JSONValue?, _ place: String
    ) throws(MarkerFault) -> (start: Double, duration: Double, rate: Double)? {
        guard let value, value != .null else { return nil }
        let (start, duration) = (
            try seconds(value["start_time"], place + ".start_time"), try seconds(value["duration"], place + ".duration")
        )
        return (start, duration, value["start_time"]?["rate"]?.number ?? 1)
    }

    /// Parses a `RationalTime` in seconds.
    private static func seconds(_ value: JSONValue?, _ place: String) throws(MarkerFault) -> Double {
        guard let frame = value?["value"]?.number, let rate = value?["rate"]?.number, rate > 0, frame.isFinite else {
            throw MarkerFault(place, "is not a time with a value and a rate; export the timeline again")
        }
        return frame / rate
    }
}

extension JSONValue {
    /// The name of an object's schema without its version.
    fileprivate var schema: Substring {
        if case .text(let text)? = self["OTIO_SCHEMA"] { text.prefix { $0 != "." } } else { "" }
    }
}
