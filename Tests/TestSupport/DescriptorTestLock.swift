import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lets one test at a time hold hundreds of descriptors.
///
/// In a process with more than some 1300 of them, Foundation's `Process` reads beyond the end of their list, and may
/// end the process.
package enum DescriptorTestLock {
    private static let slot = ProgramSlots(count: 1)

    /// Runs a test that opens up to a thousand descriptors.
    package nonisolated(nonsending) static func exclusively<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        #if os(Linux)
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 8192))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #endif
        await slot.acquire()
        do {
            let result = try await body()
            await slot.release()
            return result
        } catch {
            await slot.release()
            throw error
        }
    }
}
