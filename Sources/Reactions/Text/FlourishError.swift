/// The reason why an operation failed, in one line for the user.
///
/// ```swift
/// do {
///     try await session.filter("call.mp4", to: "reacted.mp4")
/// } catch {
///     switch error.code {
///     case .interrupted, .outputClosed: break
///     case .outputUnavailable, .inputOutput: print("check the disk:", error.message)
///     default: print(error.message)
///     }
/// }
/// ```
public struct FlourishError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The category of the error. Programs branch on it; the command line maps it to its exit code.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request is invalid: a bad option, INPUT = OUTPUT.
        case usage
        /// The input is not there or cannot be read.
        case inputUnavailable
        /// The input is not a video, or damaged beyond use.
        case inputUnusable
        /// A codec, a model or a library is missing on this machine.
        case unavailable
        /// The output cannot be created.
        case outputUnavailable
        /// Reading or writing failed midway, for example because the disk is full.
        case inputOutput
        /// The reader of the output's pipe has closed it; this is not a fault.
        case outputClosed
        /// The run was stopped before it had any useful output, or the task that waited was cancelled.
        case interrupted
        /// An internal invariant was broken.
        case `internal`
    }

    /// The change that avoids the error, if the program that uses the library can make it.
    ///
    /// ```swift
    /// do {
    ///     try plan.write(to: "call.plan.json")
    /// } catch where error.remedy == .overwriting {
    ///     try plan.write(to: "call.plan.json", overwrite: true)
    /// }
    /// ```
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

    /// The category of the error.
    public let code: Code
    /// The problem in one line without a full stop. It names the file, and if ``remedy`` is `nil`, it includes the
    /// advice.
    public let problem: String
    /// The change that avoids the error; `nil` if the program that uses the library cannot make one.
    public let remedy: Remedy?
    /// True if the disk was full.
    package var isDiskFull = false
    /// True if a setting of the input refused the file, which another value may accept.
    package var isLimit = false

    /// Creates an error with its line for people.
    public init(_ code: Code, _ message: String, remedy: Remedy? = nil) {
        self.code = code
        self.problem = message
        self.remedy = remedy
    }

    /// The problem, and the remedy with this library: one line, no full stop.
    public var message: String {
        let advice: String? =
            switch remedy {
            case .overwriting: "set Configuration.overwrite to replace it"
            case .encodingTheWhole: "set EncodingOptions.smartRender to .auto to encode the whole video"
            case .keepingGesturesElsewhere: "choose another path"
            case .namingAssets: "name the folder Assets of Flourish's repository in Configuration.resources"
            case .namingModels:
                "run Scripts/setup of Flourish's repository, name them in Configuration.resources, or disable Configuration.gesturesEnabled"
            case .namingFrameRate: "set MarkerOptions.frameRate to the timeline's"
            case .namingStartTimecode: "set MarkerOptions.startTimecode to one such as 01:00:00:00"
            case .movingMarker: "move it, or set MarkerOptions.startTimecode to the timeline's start"
            case .countingAllFrames: "set MarkerOptions.isDropFrame to false"
            case nil: nil
            }
        return problem + (advice.map { "; " + $0 } ?? "")
    }

    /// The message.
    public var description: String { message }
}

/// The reason why an effect's description or one of its sprites cannot be used.
package struct EffectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The invalid file, as it was given.
    package let file: String
    /// The place in the file: `emitters[0].size`. Empty for the whole file.
    package let key: String
    /// The problem, in one sentence without a full stop.
    package let message: String
    /// True if the file is absent or unreadable, as opposed to invalid.
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
    /// Creates the error for an invalid user-written file.
    package init(_ error: EffectError) {
        self.init(error.isUnreadable ? .inputUnavailable : .inputUnusable, error.description)
    }
}

/// The reason why a text cannot be drawn, in words for the user.
package struct TextFault: Error, CustomStringConvertible {
    package var description: String
    /// True if a font or a library is missing, as opposed to a fault of the text.
    package var isUnavailable: Bool

    package init(_ description: String, isUnavailable: Bool = false) {
        self.description = description
        self.isUnavailable = isUnavailable
    }
}
