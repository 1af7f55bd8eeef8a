package import Gestures

/// What looks at frames found out: gestures that fired, and those that nearly did.
package struct GestureFindings: Sendable {
    /// Gestures whose hold was completed.
    package var fired: [GestureEvent] = []
    /// Holds that ended without having fired; empty unless somebody asks for them.
    var unfired: [UnfiredHold] = []

    var isEmpty: Bool { fired.isEmpty && unfired.isEmpty }

    static func + (earlier: Self, later: Self) -> Self {
        GestureFindings(fired: earlier.fired + later.fired, unfired: earlier.unfired + later.unfired)
    }
}
