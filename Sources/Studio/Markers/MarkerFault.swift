import Reactions

/// What is wrong with a file of markers, and where.
struct MarkerFault: Error, Hashable {
    /// Such as `line 12`; empty where it is the file as a whole.
    var place: String
    var message: String
    /// Whether it is an option that is wrong.
    var isUsage = false
    /// What mends it, where that is an option.
    var remedy: FlourishError.Remedy?

    init(_ place: String, _ message: String, isUsage: Bool = false, remedy: FlourishError.Remedy? = nil) {
        (self.place, self.message, self.isUsage, self.remedy) = (place, message, isUsage, remedy)
    }
}
