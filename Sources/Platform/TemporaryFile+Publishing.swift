extension TemporaryFile {
    /// Gives a finished file its final name, in one step.
    ///
    /// - Parameter overwrite: Whether it replaces what has the name already.
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`. Where somebody else took the name
    ///   meanwhile, the finished file is kept under another, which the error tells.
    package static func publish(_ temporary: String, as path: String, overwrite: Bool) throws(FileError) {
        let place = target(of: path)
        let failure = give(temporary, place, replaces: overwrite)
        if failure == EEXIST, let kept = keep(temporary, beside: place) {
            forget(temporary)
            throw FileError(
                .unwritable, path: path,
                "\(path): somebody else made a file of this name meanwhile; the finished one is kept as \(kept)")
        }
        if failure == ENOENT, FileKind.of(temporary) == nil {
            forget(temporary)
            throw FileError(removed: temporary, of: path)
        }
        guard failure == 0 else { throw FileError(writing: path, number: failure) }
        forget(temporary)
    }

    /// Gives a file a name.
    ///
    /// - Returns: 0, or an error number: `EEXIST` where the name is not free.
    private static func give(_ temporary: String, _ name: String, replaces: Bool = false) -> Int32 {
        do throws(RawFileError) {
            try RawFile.publish(Array(temporary.utf8), as: Array(name.utf8), replaces: replaces)
            return 0
        } catch {
            return error.number
        }
    }

    /// Gives a file that holds only the beginning of what was asked for a name that says so: `name.partial.mp4`, or
    /// else the first free one of `name.partial-2.mp4`, `name.partial-3.mp4` and so on.
    ///
    /// - Parameter overwrite: Whether it replaces an earlier part; never what is called `path`.
    /// - Returns: The name.
    /// - throws: ``FileError`` of the codes `unwritable`, `diskFull`, `io`.
    package static func publishPart(
        _ temporary: String, of path: String, overwrite: Bool
    ) throws(FileError) -> String {
        let place = target(of: path)
        let first = sibling(of: place, adding: ".partial")
        if overwrite {
            try publish(temporary, as: first, overwrite: true)
            return first
        }
        for number in 1..<1000 {
            let name = number == 1 ? first : sibling(of: place, adding: ".partial-\(number)")
            let failure = give(temporary, name)
            if failure == 0 {
                forget(temporary)
                return name
            }
            guard failure == EEXIST else { throw FileError(writing: name, number: failure) }
        }
        throw FileError(writing: first, number: EEXIST)
    }

    /// Gives a file the first free one of `name-1.mp4`, `name-2.mp4` and so on.
    private static func keep(_ temporary: String, beside place: String) -> String? {
        for number in 1..<1000 {
            let free = sibling(of: place, adding: "-\(number)")
            let failure = give(temporary, free)
            if failure == 0 { return free }
            guard failure == EEXIST else { return nil }
        }
        return nil
    }

    /// The path with something before its ending.
    private static func sibling(of place: String, adding words: String) -> String {
        let folder = String(folder(of: place))
        let name = place.dropFirst(folder.count)
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return folder + fitting(name.dropLast(ending.count), ending: words + ending)
    }
}
