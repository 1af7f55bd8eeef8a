/// Why something could not be done, in one line for the person who asked for it.
public struct FlourishError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of trouble it is. Programs decide by this; the command line
    /// turns it into its exit code.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// What was asked for makes no sense: a bad option, INPUT = OUTPUT.
        case usage
        /// The input is not there or cannot be read.
        case inputUnavailable
        /// The input is not a video, or damaged beyond use.
        case inputUnusable
        /// A codec, a model or a library is missing on this machine.
        case unavailable
        /// The output cannot be created.
        case outputUnavailable
        /// Reading or writing failed midway: the disk is full, say.
        case inputOutput
        /// Whoever read the output through a pipe has gone; nothing is wrong.
        case outputClosed
        /// The run was stopped before there was anything worth keeping.
        case interrupted
        /// Flourish broke a rule of its own.
        case `internal`
    }

    /// What mends it, where that is a choice of the program that uses the library.
    public enum Remedy: Sendable, Hashable, CaseIterable {
        /// ``Configuration/overwrite``
        case overwriting
        /// ``EncodingOptions/smartRender`` other than ``SmartRender/always``
        case encodingTheWhole
        /// Another path for ``GestureSet/write(to:)``
        case keepingGesturesElsewhere
        /// ``Configuration/resources`` with the folder `Assets`
        case namingAssets
        /// ``Configuration/resources`` with models and library, or ``Configuration/gesturesEnabled`` off
        case namingModels
        /// `MarkerOptions.frameRate`
        case namingFrameRate
        /// `MarkerOptions.startTimecode`
        case namingStartTimecode
        /// A marker that lies in the recording, or another `MarkerOptions.startTimecode`
        case movingMarker
        /// `MarkerOptions.isDropFrame` off
        case countingAllFrames
    }

    /// The kind of trouble.
    public let code: Code
    /// Names the file and says what is wrong: one line, no full stop. Where there is no ``remedy``, also what to do.
    public let problem: String
    /// What mends it in the program's own terms; `nil` where there is nothing to choose.
    public let remedy: Remedy?
    /// Whether there was no room left where something was written.
    package var isDiskFull = false

    /// An error with its line for people.
    public init(_ code: Code, _ message: String, remedy: Remedy? = nil) {
        self.code = code
        self.problem = message
        self.remedy = remedy
    }

    /// The problem, and what to do about it with this library: one line, no full stop.
    public var message: String {
        let advice: String? =
            switch remedy {
            case .overwriting: "set Configuration.overwrite to replace it"
            case .encodingTheWhole: "set EncodingOptions.smartRender to .auto to encode the whole"
            case .keepingGesturesElsewhere: "choose another path"
            case .namingAssets: "name the folder Assets of Flourish's repository in Configuration.resources"
            case .namingModels:
                "run Scripts/setup of Flourish's repository, name them in Configuration.resources, or switch Configuration.gesturesEnabled off"
            case .namingFrameRate: "set MarkerOptions.frameRate to the timeline's"
            case .namingStartTimecode: "set MarkerOptions.startTimecode to one such as 01:00:00:00"
            case .movingMarker: "move it, or set MarkerOptions.startTimecode to where the timeline starts"
            case .countingAllFrames: "leave MarkerOptions.isDropFrame off"
            case nil: nil
            }
        return problem + (advice.map { "; " + $0 } ?? "")
    }

    /// The message.
    public var description: String { message }
}

/// Why an effect's description or one of its sprites cannot be used.
package struct EffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file at fault, as it was given.
    package let file: String
    /// Where in the file: `emitters[0].size`. Empty where the whole file is meant.
    package let key: String
    /// What is wrong with it, in one sentence without a full stop.
    package let message: String
    /// Whether the file is absent or cannot be read, so that nothing is wrong in it.
    package let isUnreadable: Bool

    package init(file: String, key: String = "", message: String, isUnreadable: Bool = false) {
        self.file = file
        self.key = key
        self.message = message
        self.isUnreadable = isUnreadable
    }

    package static func unreadable(_ file: String, _ message: String) -> EffectError {
        EffectError(file: file, message: message, isUnreadable: true)
    }

    package var description: String {
        key.isEmpty ? "\(file): \(message)" : "\(file): \(key): \(message)"
    }
}

extension FlourishError {
    /// Trouble with a file that somebody wrote.
    package init(_ error: EffectError) {
        self.init(error.isUnreadable ? .inputUnavailable : .inputUnusable, error.description)
    }
}
