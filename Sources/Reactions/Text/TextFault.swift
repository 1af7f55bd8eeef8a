/// The reason why a text cannot be drawn, in words for the user.
package struct TextFault: Error, CustomStringConvertible {
    package var description: String
    /// A Boolean value that indicates whether a font or a library is missing, as opposed to a fault of the text.
    package var isUnavailable: Bool

    package init(_ description: String, isUnavailable: Bool = false) {
        self.description = description
        self.isUnavailable = isUnavailable
    }
}
