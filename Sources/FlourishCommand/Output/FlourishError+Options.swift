import Flourish

extension FlourishError {
    /// The problem, and what to do about it on the command line.
    var line: String {
        let advice: String? =
            switch remedy {
            case .overwriting: "use --overwrite to replace it"
            case .encodingTheWhole: "leave out --smart-render always to encode the whole"
            case .keepingGesturesElsewhere: "choose another place with --gestures"
            case .namingAssets: "flourish doctor says how to get them, or set FLOURISH_ASSETS"
            case .namingModels: "flourish doctor says how to get them; filter and detect take --no-gestures"
            case .namingFrameRate: "give the timeline's --frame-rate"
            case .namingStartTimecode: "give --start-timecode such as 01:00:00:00"
            case .movingMarker: "move it, or say with --start-timecode where the timeline starts"
            case .countingAllFrames: "leave --drop-frame out"
            case nil: nil
            }
        return problem + (advice.map { "; " + $0 } ?? "")
    }
}
