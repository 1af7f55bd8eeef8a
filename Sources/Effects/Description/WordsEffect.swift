import Lettering
import Reactions

/// The effect of reactions that show words: a bubble like that of the thumb, as wide as the words need.
enum WordsEffect {
    /// The maximum width of the bubble in heights of the frame; as ``WideSprite``.
    private static let greatestWidth = 0.66

    /// Returns the reason for refusing words, in words for the user; `nil` for usable ones.
    static func fault(in words: String) -> String? {
        if words.contains("\n") {
            return "the text contains a line feed; leave it out, long texts are broken into lines"
        }
        return StyledText.fault(in: words, longest: ReactionType.greatestTextLength)
    }

    static func text(_ words: String) -> EffectText { EffectText(words, bubble: TextBubble()) }

    /// Returns the description for a bubble.
    ///
    /// - Parameter aspectRatio: The width of the bubble over its height.
    static func description(
        of type: ReactionType, words: String, lines: Int, aspectRatio: Double
    ) throws(EffectError) -> EffectDescription {
        let height = min(0.07 + 0.08 * Double(lines), greatestWidth / aspectRatio)
        let width = height * aspectRatio
        // Long words take longer to read.
        let duration = min(3.4 + 0.06 * Double(words.count), 6.5)
        let place = """
            "x": 0.25, "y": -0.16, "outward": true, "inside": [\(0.6 * width + 0.02), \(0.6 * height + 0.03)]
            """
        let json = """
            {"type": "text", "duration": \(duration), "complexity": 1.3, "place": {"x": 0.74, "y": 0.45}, "exit": 0.25,
             "palette": [], "icon": {"size": \(min(2, max(0.6, height / 0.13))), "bubble": false},
             "emitters": [
              {"name": "light", "count": 1, "start": 0.05, \(place), "life": 0.9, "shape": "glow",
               "size": \(1.5 * height), "aspect": \(max(1, 0.8 * aspectRatio)), "light": 1, "opacity": 0.3,
               "opacityOverLife": [0, 1, 0.6, 0.2, 0], "colours": ["#a9dcff"]},
              {"name": "bubble", "count": 1, \(place), "shape": "sprite", "sprite": "words", "size": \(height),
               "grow": 0.5, "overshoot": 0.32, "shrink": 0.34, "tilt": \(-4 / aspectRatio),
               "swing": \(-24 / aspectRatio), "swingRate": 1.35, "swingDamping": 1.9, "shadow": 0.4, "fadeIn": 0.08,
               "sway": 0.006, "swayRate": 0.35, "wobble": 0.012},
              {"name": "stars", "count": 14, "start": 0.2, "over": 0.15, \(place), "angle": {"fan": [0, 337]},
               "speed": [1.1, 1.9], "drag": [4.5, 6], "gravity": 0.12, "life": [0.7, 1.2], "shape": "sparkle",
               "size": [0.025, 0.06], "light": 0.75, "sizeOverLife": [0.3, 1, 0.9, 0.6, 0], "spin": [-60, 60],
               "colours": ["#fff2a8", "#ffd64a", "#ffffff", "#9fdcff"]}]}
            """
        var description = try EffectDescription(json: Array(json.utf8), file: type.rawValue)
        description.type = type.rawValue
        return description
    }
}
