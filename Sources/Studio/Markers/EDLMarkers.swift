import Pipeline
import Reactions

/// DaVinci Resolve's list of timeline markers: an EDL of events of one frame each, with the marker in the line below:
///
/// ```
/// TITLE: call.mp4
/// FCM: NON-DROP FRAME
///
/// 001  001      V     C        01:00:02:12 01:00:02:13 01:00:02:12 01:00:02:13
/// gesture thumbsUp |C:ResolveColorGreen |M:thumbsUp #1 |D:78
/// ```
///
/// Resolve writes the list by *Timelines > Export > Timeline Markers to EDL* and reads it by the corresponding import;
/// *DaVinci Resolve Reference Manual*, "Exporting Timeline Markers to EDL", https://www.blackmagicdesign.com/support.
/// The events have the format of CMX 3600, https://www.edlmax.com/EdlMaxHelp/Edl/maxguide.html. The text before the
/// first `|` is the marker's note, which must not begin with a digit: the line would be parsed as an event.
enum EDLMarkers {
    static func write(_ sheet: MarkerSheet, start: Int) -> String {
        let rate = sheet.rate
        var text = "TITLE: \(String(RecordedFile.name(of: sheet.source.path)).onOneLine)\n"
        text += "FCM: \(rate.isDropFrame ? "DROP FRAME" : "NON-DROP FRAME")\n"
        for (index, marker) in sheet.sorted.enumerated() {
            let number = "\(index + 1)"
            let (begin, end) = (rate.timecode(start + marker.frame), rate.timecode(start + marker.frame + 1))
            let colour = marker.isEnabled ? MarkerColour.on : MarkerColour.off
            text += "\n" + String(repeating: "0", count: max(0, 3 - number.count)) + number
            text += "  001      V     C        \(begin) \(end) \(begin) \(end)\n"
            text +=
                "\(plain(marker.comment)) |C:\(prefix)\(colour.name) |M:\(plain(marker.name)) |D:\(marker.duration)\n"
        }
        return text
    }

    private static let prefix = "ResolveColor"

    /// The maximum number of an event, which has three digits.
    static let greatestCount = 999

    /// Replaces characters that would end the field, and removes characters beyond 16 bits, which Resolve garbles.
    static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.onOneLine.unicodeScalars.filter { $0.value < 0x1_0000 }.map { $0 == "|" ? "/" : $0 }))
    }

    /// Reads the list.
    ///
    /// - Parameter rate: The timeline's frame rate. Timecodes count as drop-frame if the list states that.
    /// - Throws: The error, with its line.
    static func read(_ text: String, rate: TimecodeRate, options: MarkerOptions) throws(MarkerFault) -> FoundMarkers {
        var reading = Reading(rate: rate, options: options)
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            try reading.parse(line.trimmed, number: index + 1)
        }
        guard reading.sawEvent || reading.sawHeader else {
            throw MarkerFault("", "not an EDL; export the timeline's markers to EDL")
        }
        return FoundMarkers(
            markers: reading.markers, tolerance: 0.5 / rate.framesPerSecond,
            problem: "on a timeline that starts at \(options.startTimecode)", remedy: .movingMarker)
    }

    private struct Reading {
        let rate: TimecodeRate
        let options: MarkerOptions
        var isDropFrame: Bool
        var sawHeader = false
        var sawEvent = false
        /// The start, in seconds, of the event that awaits its marker.
        var event: Double?
        var markers: [FoundMarker] = []

        init(rate: TimecodeRate, options: MarkerOptions) {
            (self.rate, self.options, isDropFrame) = (rate, options, rate.isDropFrame)
        }

        mutating func parse(_ line: Substring, number: Int) throws(MarkerFault) {
            let place = "line \(number)"
            if line.hasPrefix("TITLE:") {
                sawHeader = true
            } else if line.hasPrefix("FCM:") {
                isDropFrame = !line.contains("NON")
                sawHeader = true
            } else if line.contains("|M:") {
                guard let event else {
                    throw MarkerFault(place, "the marker has no preceding event; export the list again")
                }
                markers.append(try marker(line, at: event, place))
                self.event = nil
            } else if isEvent(line) {
                event = try start(of: line, place)
                sawEvent = true
            }
        }

        /// Returns whether a line is an event, which begins with a number and contains timecodes. The number alone is
        /// not sufficient, because a line of a note may begin with one, too.
        private func isEvent(_ line: Substring) -> Bool {
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.first?.allSatisfy(\.isNumber) == true
                && words.contains { $0.count { $0 == ":" || $0 == ";" } == 3 }
        }

        /// Returns the start of an event, in seconds from the timeline's start, from the third of its timecodes (the
        /// record's in point).
        private func start(of line: Substring, _ place: String) throws(MarkerFault) -> Double {
            let codes = line.split(whereSeparator: \.isWhitespace).suffix(4)
            guard codes.count == 4, codes.allSatisfy({ $0.contains(":") }), let code = codes.dropFirst(2).first else {
                throw MarkerFault(place, "an event must have four timecodes; export the list again")
            }
            let isDropFrame = isDropFrame || code.contains(";")
            if isDropFrame, !rate.knowsDropFrame {
                throw MarkerFault(
                    place,
                    "drop-frame timecode requires 29.97 or 59.94 frames per second, not \(rate.framesPerSecond)",
                    remedy: .namingFrameRate)
            }
            let counting = TimecodeRate(rate.framesPerSecond, isDropFrame: isDropFrame)
            guard let frame = counting.frame(of: code) else {
                throw MarkerFault(
                    place,
                    "'\(code.prefix(40))' is not a timecode at \(rate.base) frames per second", remedy: .namingFrameRate
                )
            }
            return rate.time(of: frame - (try EDLMarkers.start(options, counting)))
        }

        private func marker(_ line: Substring, at start: Double, _ place: String) throws(MarkerFault) -> FoundMarker {
            var fields: [Character: Substring] = [:]
            for part in line.split(separator: "|").dropFirst(line.hasPrefix("|") ? 0 : 1) {
                guard let key = part.first, part.dropFirst().first == ":" else { continue }
                fields[key] = part.dropFirst(2).trimmed
            }
            let (title, id) = FoundMarker.parse(name: fields["M"] ?? "")
            var marker = FoundMarker(place: place, id: id, title: title, start: start)
            if let text = fields["D"] {
                guard let frames = Int(text), frames >= 0 else {
                    throw MarkerFault(place, "|D: must be a number of frames, not '\(text.prefix(40))'")
                }
                if frames > 1 { marker.length = .seconds(rate.time(of: frames)) }
            }
            marker.isEnabled = fields["C"].flatMap { MarkerColour($0.dropFirst(EDLMarkers.prefix.count)) }.map {
                $0 == .on
            }
            return marker
        }
    }

    /// Returns the number of the timeline's first frame, from its timecode.
    static func start(_ options: MarkerOptions, _ rate: TimecodeRate) throws(MarkerFault) -> Int {
        // A timeline may extend beyond 24 hours, but its first timecode must be below that.
        guard let start = rate.frame(of: options.startTimecode[...]), start < rate.day else {
            throw MarkerFault(
                "", "'\(options.startTimecode)' is not a timecode at \(rate.base) frames per second", isUsage: true,
                remedy: .namingStartTimecode)
        }
        return start
    }
}
