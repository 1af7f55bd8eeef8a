package import MediaIO
package import Pipeline
import Raster
package import Reactions

/// Draws a card with a line of text, shown in place of a picture that is missing.
///
/// Used by one thread at a time.
package final class StillCard {
    private var pen: InspectionPen
    private let pool = FramePool()

    /// - Throws: ``FlourishError/Code/unavailable`` if the labels' font is missing.
    package init(resources: Resources) throws(FlourishError) {
        pen = try InspectionPen(resources: resources)
    }

    /// Draws the text at the centre of a frame, over a dark ground.
    ///
    /// - Throws: `MediaError` if there is too little memory.
    package func draw(_ text: String, on frame: inout VideoFrame) throws {
        let geometry = frame.geometry
        let (width, height) = (Double(geometry.uprightWidth), Double(geometry.uprightHeight))
        let capital = (min(width, height) / 24).rounded()
        let style = TextStyle(size: TextSize(cap: capital), colour: .white)
        let spacing = capital * 2
        try frame.withMutablePicture(pool: pool) { picture in
            pen.begin(picture.format, geometry)
            pen.fill(
                Rectangle(left: 0, top: 0, right: width, bottom: height), radius: 0, EffectColour(0x202124))
            let lines = pen.wrapped(text, style, within: width * 0.8)
            // The baseline of the first line.
            var y = (height - Double(lines.count - 1) * spacing + capital) / 2
            for line in lines {
                pen.write(line, at: PixelPoint(x: (width - pen.width(of: line, style)) / 2, y: y), style)
                y += spacing
            }
            pen.finish(&picture)
        }
    }
}
