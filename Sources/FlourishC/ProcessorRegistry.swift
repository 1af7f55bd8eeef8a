import Synchronization

/// The processors of this process by their handles.
///
/// A handle is a number that no other processor gets, instead of an address, so that a call with a destroyed processor is an
/// error. A call holds its processor, which another thread may destroy meanwhile.
enum ProcessorRegistry {
    private struct State {
        var processors: [UInt: HostedProcessor] = [:]
        var next: UInt = 1
    }

    private static let state = Mutex(State())

    static func insert(_ processor: HostedProcessor) -> OpaquePointer {
        let handle = state.withLock { state in
            defer { state.next += 1 }
            state.processors[state.next] = processor
            return state.next
        }
        // Some hosts store flags in the lowest bits of a pointer.
        return unsafe OpaquePointer(bitPattern: handle << 4)!
    }

    static func processor(_ handle: OpaquePointer?) throws(CallFailure) -> HostedProcessor {
        guard let handle = unsafe handle else {
            throw .argument("the processor is NULL; create one with flourish_create")
        }
        let key = UInt(bitPattern: handle) >> 4
        guard let found = state.withLock({ $0.processors[key] }) else {
            throw .argument("the processor was destroyed, or is not from flourish_create")
        }
        return found
    }

    static func remove(_ handle: OpaquePointer?) {
        guard let handle = unsafe handle else { return }
        let key = UInt(bitPattern: handle) >> 4
        // The processor is released after the lock.
        _ = state.withLock { $0.processors.removeValue(forKey: key) }
    }
}
