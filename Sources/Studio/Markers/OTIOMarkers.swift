import FoundationEssentials
import Pipeline
import Reactions

/// OpenTimelineIO: a timeline with the recording as its only clip, and a marker on the clip for each reaction.
/// https://opentimelineio.readthedocs.io/en/stable/tutorials/otio-serialized-schema.html
///
/// The clip is of the schema's first version, which all readers understand. A marker's `metadata.flourish.id` is the
/// reaction's number; programs that drop it keep the name, which has it, too. Resolve looks for a marker's note in
/// metadata of its own.
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
        var metadata: [String: JSONValue] = ["flourish": .object(["id": .integer(Int64(marker.id))])]
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
        object("RationalTime.1", ["rate": .number(rate.framesPerSecond), "value": .integer(Int64(frame))])
    }

    private static func object(_ schema: String, _ fields: [String: JSONValue]) -> JSONValue {
        .object(fields.merging(["OTIO_SCHEMA": .text(schema)]) { $1 })
    }
}

extension ReactionPlan.Source {
    /// Its path as a URL, such as `file:///home/you/call.mp4`.
    package var address: String { URL(filePath: path).absoluteURL.absoluteString }
}
