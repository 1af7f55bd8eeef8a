import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Workbench {
    /// Starts to filter `in.pipe` to `out.mkv`.
    ///
    /// - Returns: once the program has opened the pipe, the pipe's other end, into which nothing was written.
    func startOnPipe(_ options: [String] = []) async throws -> (RunningProgram, FileHandle) {
        let pipe = file("in.pipe")
        try makeNamedPipe(at: pipe)
        let run = try Program.flourish.start(
            ["filter", "in.pipe", "out.mkv", "--no-gestures", "--preset", "ultrafast"] + options, in: folder)
        var descriptor: Int32 = -1
        // Without a reader it cannot be opened.
        try await waits {
            descriptor = unsafe open(pipe.path, O_WRONLY | O_NONBLOCK)
            return descriptor >= 0
        }
        return (run, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }
}
