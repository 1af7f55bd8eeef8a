import Pipeline
import Reactions

/// Final Cut Pro 7's XML, which Premiere Pro imports: a sequence with the recording's picture and a marker on the sequence
/// for each reaction. *Final Cut Pro XML Interchange Format*, version 5,
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

    /// Red in Premiere Pro, as `0xAABBGGRR`; green is what its markers are without a colour. Not part of the format:
    /// others pass it over.
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
            // Such as file://localhost/home/you/call.mp4.
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
