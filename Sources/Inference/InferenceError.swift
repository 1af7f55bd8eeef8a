/// Why a model cannot be run. Its description is one line fit for a user.
package struct InferenceError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// There is no LiteRT library at the path, or it cannot be opened.
        case libraryMissing
        /// The library lacks a function: it is not the version this program was written for.
        case libraryVersion
        /// The library ends too early.
        case libraryDamaged
        /// There is no readable model file at the path.
        case modelMissing
        /// The file is not a model, is damaged, or is not the model that was asked for.
        case modelDamaged
        /// LiteRT refused to prepare or to run a model that it can read.
        case failed
    }

    package let code: Code
    /// The file that is at fault.
    package let path: String
    /// What exactly is wrong, for example the name of the missing function.
    package let detail: String?

    package init(_ code: Code, path: String, detail: String? = nil) {
        self.code = code
        self.path = path
        self.detail = detail
    }

    package var description: String {
        let fault =
            switch code {
            case .libraryMissing: "cannot open the LiteRT library \(path)"
            case .libraryDamaged: "the LiteRT library \(path) is damaged or not the one expected"
            case .libraryVersion: "the LiteRT library \(path) is not version \(InferenceLibrary.version)"
            case .modelMissing: "cannot read the model \(path)"
            case .modelDamaged: "the model \(path) is damaged or not the one expected"
            case .failed: "the model \(path) could not be run"
            }
        let reason = detail.map { " (\($0))" } ?? ""
        let mend = code == .failed ? "see `flourish doctor`" : "run `Scripts/setup`, or see `flourish doctor`"
        return "\(fault)\(reason); \(mend)"
    }
}
