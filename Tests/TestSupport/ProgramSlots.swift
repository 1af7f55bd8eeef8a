import Foundation

/// Limits the number of programs that run at once, or of tests in progress.
///
/// Tests run in parallel, and each waits for programs most of its time: without a limit, hundreds of encoders would
/// start together and time out.
package actor ProgramSlots {
    static let shared = ProgramSlots(count: ProcessInfo.processInfo.activeProcessorCount + 1)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init(count: Int) { free = count }

    /// Waits for a slot; slots are granted in the order of requests.
    package func acquire() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    package func release() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
