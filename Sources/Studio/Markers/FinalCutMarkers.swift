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
        var xml = XMLText(doctype: "fcpxml")
        xml.element("fcpxml", ["version": "1.6"]) { xml in
            xml.element("resources") { xml in
                xml.element(
                    "format",
                    [
                        "id": "r1", "frameDuration": time(1, sheet.rate), "width": "\(source.width)",
                        "height": "\(source.height)",
                    ])
                xml.element(
                    "asset",
                    [
                        "id": "r2", "name": name, "src": source.address, "start": "0s", "duration": length,
                        "hasVideo": "1",
                        "format": "r1",
                    ])
            }
            xml.element("event", ["name": name]) { xml in
                xml.element("project", ["name": name]) { xml in
                    xml.element("sequence", ["format": "r1", "duration": length, "tcStart": "0s", "tcFormat": format]) {
                        xml in
                        xml.element("spine") { xml in
                            let clip: KeyValuePairs<String, String?> = [
                                "name": name, "ref": "r2", "offset": "0s", "start": "0s", "duration": length,
                                "format": "r1",
                                "tcFormat": format,
                            ]
                            xml.element("asset-clip", clip) { xml in
                                for marker in sheet.sorted { write(marker, sheet.rate, in: &xml) }
                            }
                        }
                    }
                }
            }
        }
        return xml.document
    }

    private static func write(_ marker: PlanMarker, _ rate: TimecodeRate, in xml: inout XMLText) {
        // Final Cut Pro's markers are points with a duration of one frame.
        xml.element(
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
    static func write(_ sheet: MarkerSheet) -> String {
        let name = String(RecordedFile.name(of: sheet.source.path))
        var xml = XMLText(doctype: "xmeml")
        xml.element("xmeml", ["version": "5"]) { xml in
            xml.element("sequence", ["id": "sequence-1"]) { xml in
                xml.text("name", name)
                xml.text("duration", sheet.length)
                rate(sheet.rate, in: &xml)
                xml.element("timecode") { xml in
                    rate(sheet.rate, in: &xml)
                    xml.text("string", sheet.rate.timecode(0))
                    xml.text("frame", 0)
                    xml.text("displayformat", sheet.rate.isDropFrame ? "DF" : "NDF")
                }
                media(sheet, name: name, in: &xml)
                for marker in sheet.sorted { write(marker, in: &xml) }
            }
        }
        return xml.document
    }

    /// Red in Premiere Pro, as `0xAABBGGRR`. Markers without a colour are green there. The element is not part of the
    /// format, and other programs ignore it.
    private static let red = 0xFF36_2CD2

    private static func write(_ marker: PlanMarker, in xml: inout XMLText) {
        xml.element("marker") { xml in
            xml.text("name", marker.name)
            xml.text("comment", marker.comment)
            xml.text("in", marker.frame)
            xml.text("out", marker.frame + marker.duration)
            if !marker.isEnabled { xml.text("pproColor", red) }
        }
    }

    private static func rate(_ rate: TimecodeRate, in xml: inout XMLText) {
        xml.element("rate") { xml in
            xml.text("timebase", rate.base)
            xml.text("ntsc", rate.isFraction ? "TRUE" : "FALSE")
        }
    }

    private static func media(_ sheet: MarkerSheet, name: String, in xml: inout XMLText) {
        xml.element("media") { xml in
            xml.element("video") { xml in
                xml.element("format") { picture(sheet, in: &$0) }
                xml.element("track") { xml in
                    xml.element("clipitem", ["id": "clipitem-1"]) { xml in
                        xml.text("name", name)
                        xml.text("duration", sheet.length)
                        rate(sheet.rate, in: &xml)
                        for (key, frame) in [("in", 0), ("out", sheet.length), ("start", 0), ("end", sheet.length)] {
                            xml.text(key, frame)
                        }
                        file(sheet, name: name, in: &xml)
                    }
                }
            }
        }
    }

    private static func file(_ sheet: MarkerSheet, name: String, in xml: inout XMLText) {
        xml.element("file", ["id": "file-1"]) { xml in
            xml.text("name", name)
            // For example file://localhost/home/you/call.mp4.
            xml.text("pathurl", "file://localhost" + sheet.source.address.dropFirst("file://".count))
            rate(sheet.rate, in: &xml)
            xml.text("duration", sheet.length)
            xml.element("media") { xml in xml.element("video") { picture(sheet, in: &$0) } }
        }
    }

    private static func picture(_ sheet: MarkerSheet, in xml: inout XMLText) {
        xml.element("samplecharacteristics") { xml in
            rate(sheet.rate, in: &xml)
            xml.text("width", sheet.source.width)
            xml.text("height", sheet.source.height)
        }
    }
}

/// Writes XML, indented.
///
/// The permitted characters and the escapes are defined in https://www.w3.org/TR/xml/#charsets and #syntax.
struct XMLText: Sendable {
    private(set) var document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    private var depth = 0

    init(doctype: String) { document += "<!DOCTYPE \(doctype)>\n" }

    /// Writes an element with child elements.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String?> = [:], _ content: (inout XMLText) -> Void
    ) {
        line("<\(name)\(Self.written(attributes))>")
        depth += 1
        content(&self)
        depth -= 1
        line("</\(name)>")
    }

    /// Writes an element with a text.
    mutating func text(_ name: String, _ content: some CustomStringConvertible) {
        line("<\(name)>\(Self.escaped(content.description))</\(name)>")
    }

    /// Writes an element with attributes alone.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String?>) {
        line("<\(name)\(Self.written(attributes))/>")
    }

    private mutating func line(_ line: String) { document += String(repeating: "  ", count: depth) + line + "\n" }

    private static func written(_ attributes: KeyValuePairs<String, String?>) -> String {
        attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
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
