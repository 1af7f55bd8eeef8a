import Synchronization

/// How many may follow the panel's events at once.
final class PanelSeats: Sendable {
    private static let most = 64
    private let taken = Atomic(0)

    /// A seat, until it is let go; `nil` where all are taken.
    func take() -> Seat? {
        guard taken.add(1, ordering: .relaxed).newValue <= Self.most else {
            taken.subtract(1, ordering: .relaxed)
            return nil
        }
        return Seat(self)
    }

    /// Whether nobody has one.
    var areFree: Bool { taken.load(ordering: .relaxed) == 0 }

    /// One of them.
    final class Seat: Sendable {
        private let seats: PanelSeats
        fileprivate init(_ seats: PanelSeats) { self.seats = seats }
        deinit { seats.taken.subtract(1, ordering: .relaxed) }
    }
}
