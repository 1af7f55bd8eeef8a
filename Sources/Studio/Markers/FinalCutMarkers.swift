import Pipeline
import Reactions

/// Final Cut Pro's XML: a project with the recording and a marker on the clip for each reaction. Disabled reactions are
/// to-do items, which are red. Version 1.6, which all later versions read:
/// https://developer.apple.com/library/archive/documentation/Miscellaneous/Conceptual/LegacyDTDsFinalCutPro/FCPXMLDTDv1.6/FCPXMLDTDv1.6.html
enum FinalCutMarkers {
    static func write(_ sheet: MarkerSheet) -> String {
        let (name, source) = (String(RecordedFile.name(of: sheet.source.path)), sheet.source)
        let length = time(sheet.length, sheet.rate)
        let format = sheet.rate.isDropFrame ? "DF" : "NDF"
        let resources = XMLElement(
            "resources",
            [
                XMLElement(
                    "format",
                    [
                        "id": "r1", "frameDuration": time(1, sheet.rate), "width": "\(source.width)",
                        "height": "\(source.height)",
                    ]),
                XMLElement(
                    "asset",
                    [
                        "id": "r2", "name": name, "src": source.address, "start": "0s", "duration": length,
                        "hasVideo": "1", "format": "r1",
                    ]),
            ])
        let clip = XMLElement(
            "asset-clip",
            [
                "name": name, "ref": "r2", "offset": "0s", "start": "0s", "duration": length, "format": "r1",
                "tcFormat": format,
            ], sheet.sorted.map { marker($0, sheet.rate) })
        let sequence = XMLElement(
            "sequence", ["format": "r1", "duration": length, "tcStart": "0s", "tcFormat": format],
            [XMLElement("spine", [clip])])
        let event = XMLElement("event", ["name": name], [XMLElement("project", ["name": name], [sequence])])
        return XMLElement("fcpxml", ["version": "1.6"], [resources, event]).document
    }

    private static func marker(_ marker: PlanMarker, _ rate: TimecodeRate) -> XMLElement {
        // Final Cut Pro's markers are points with a duration of one frame.
        XMLElement(
            "marker",
            [
                "start": time(marker.frame, rate), "duration": time(1, rate), "value": marker.name,
                "completed": marker.isEnabled ? nil : "0", "note": marker.comment.isEmpty ? nil : marker.comment,
            ])
    }

    /// Formats a time: `1001/30000s`.
    private static func time(_ frames: Int, _ rate: TimecodeRate) -> String {
        let ticks = frames * rate.seconds
        return ticks % rate.frames == 0 ? "\(ticks / rate.frames)s" : "\(ticks)/\(rate.frames)s"
    }
}

/// Final Cut Pro 7's XML, which Premiere Pro imports: a sequence with the recording's picture and a marker on the
/// sequence for each reaction. *Final Cut Pro XML Interchange Format*, version 5,
/// https://developer.apple.com/library/archive/documentation/AppleApplications/Reference/FinalCutPro_XML/
enum FinalCut7Markers {
    /// Red in Premiere Pro, as `0xAABBGGRR`. Markers without a colour are green there. The element is not part of the
    /// format, and other programs ignore it.
    private static let red = 0xFF36_2CD2

    static func write(_ sheet: MarkerSheet) -> String {
        let name = XMLElement("name", text: String(RecordedFile.name(of: sheet.source.path)))
        let duration = XMLElement("duration", text: sheet.length)
        let rate = XMLElement(
            "rate",
            [
                XMLElement("timebase", text: sheet.rate.base),
                XMLElement("ntsc", text: sheet.rate.isFraction ? "TRUE" : "FALSE"),
            ])
        let timecode = XMLElement(
            "timecode",
            [
                rate, XMLElement("string", text: sheet.rate.timecode(0)), XMLElement("frame", text: 0),
                XMLElement("displayformat", text: sheet.rate.isDropFrame ? "DF" : "NDF"),
            ])
        let picture = XMLElement(
            "samplecharacteristics",
            [rate, XMLElement("width", text: sheet.source.width), XMLElement("height", text: sheet.source.height)])
        // For example file://localhost/home/you/call.mp4.
        let address = "file://localhost" + sheet.source.address.dropFirst("file://".count)
        let file = XMLElement(
            "file", ["id": "file-1"],
            [
                name, XMLElement("pathurl", text: address), rate, duration,
                XMLElement("media", [XMLElement("video", [picture])]),
            ])
        let range = [("in", 0), ("out", sheet.length), ("start", 0), ("end", sheet.length)]
            .map { XMLElement($0, text: $1) }
        let clip = XMLElement("clipitem", ["id": "clipitem-1"], [name, duration, rate] + range + [file])
        let media = XMLElement(
            "media",
            [XMLElement("video", [XMLElement("format", [picture]), XMLElement("track", [clip])])])
        let sequence = XMLElement(
            "sequence", ["id": "sequence-1"], [name, duration, rate, timecode, media] + sheet.sorted.map(marker))
        return XMLElement("xmeml", ["version": "5"], [sequence]).document
    }

    private static func marker(_ marker: PlanMarker) -> XMLElement {
        XMLElement(
            "marker",
            [
                XMLElement("name", text: marker.name), XMLElement("comment", text: marker.comment),
                XMLElement("in", text: marker.frame), XMLElement("out", text: marker.frame + marker.duration),
            ] + (marker.isEnabled ? [] : [XMLElement("pproColor", text: red)]))
    }
}

/// An element of XML with its contents, each on lines of its own, indented.
///
/// The permitted characters and the escapes are defined in https://www.w3.org/TR/xml/#charsets and #syntax.
struct XMLElement {
    private let name: String
    private let lines: [String]

    /// Creates an element with attributes alone, or with child elements.
    init(_ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ children: [XMLElement]? = nil) {
        self.name = name
        let start = attributes.reduce(into: name) { start, attribute in
            if let value = attribute.value { start += " \(attribute.key)=\"\(Self.escaped(value))\"" }
        }
        lines =
            if let children {
                ["<\(start)>"] + children.flatMap(\.lines).map { "  " + $0 } + ["</\(name)>"]
            } else {
                ["<\(start)/>"]
            }
    }

    init(_ name: String, _ children: [XMLElement]) { self.init(name, [:], children) }

    /// Creates an element with a text.
    init(_ name: String, text: some CustomStringConvertible) {
        self.name = name
        lines = ["<\(name)>\(Self.escaped(text.description))</\(name)>"]
    }

    /// The document of which it is the root.
    var document: String {
        (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<!DOCTYPE \(name)>"] + lines).map { $0 + "\n" }.joined()
    }

    /// Escapes a text for an element or an attribute; removes characters that XML cannot represent.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // An XML parser would convert these characters in attributes into blanks.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
