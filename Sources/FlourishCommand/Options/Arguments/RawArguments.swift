import Platform

/// The command line as it was given, whatever bytes it holds.
enum RawArguments {
    /// The arguments after the program's name. What is no UTF-8 stands there as `RawName` has it.
    static let all: [String] = (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
        guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: argument, count: strlen(argument))
        return RawName.text(unsafe bytes.map { UInt8(bitPattern: $0) })
    }
}
