import Foundation

/// Lets only so many programs run at once.
///
/// Tests run side by side, and each waits for programs most of its time: without a
/// bound, hundreds of encoders would start together and time out.
actor ProgramSlots {
    static let shared = ProgramSlots(count: ProcessInfo.processInfo.activeProcessorCount + 1)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { free = count }

    /// Waits for a slot; whoever waits longest gets the next one.
    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
