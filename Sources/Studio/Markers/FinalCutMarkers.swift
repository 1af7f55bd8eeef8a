import Pipeline
import Reactions

/// Final Cut Pro's XML: a project with the recording and a marker on the clip for each reaction; those that are not
/// shown are to-do items, which are red. Version 1.6, which every later one reads:
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
        // Its markers are points, a frame long.
        xml.element(
            "marker",
            [
                "start": time(marker.frame, rate), "duration": time(1, rate), "value": marker.name,
                "completed": marker.isEnabled ? nil : "0", "note": marker.comment.isEmpty ? nil : marker.comment,
            ])
    }

    /// `1001/30000s`
    private static func time(_ frames: Int, _ rate: TimecodeRate) -> String {
        let ticks = frames * rate.seconds
        return ticks % rate.frames == 0 ? "\(ticks / rate.frames)s" : "\(ticks)/\(rate.frames)s"
    }
}
