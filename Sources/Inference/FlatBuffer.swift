/// A table of a FlatBuffer. What is damaged reads as missing.
@unsafe
struct FlatTable {
    let bytes: UnsafeRawBufferPointer
    let start: Int

    init?(_ bytes: UnsafeMutableRawBufferPointer, root: Int) {
        unsafe self.init(UnsafeRawBufferPointer(bytes), referredToAt: root)
    }

    init?(_ bytes: UnsafeRawBufferPointer, referredToAt place: Int) {
        guard let offset = unsafe bytes.number(at: place, as: UInt32.self) else { return nil }
        unsafe self.bytes = unsafe bytes
        unsafe start = place + Int(offset)
    }

    /// The vector that is the field of this number.
    func vector(_ field: Int) -> FlatVector? {
        guard let place = unsafe place(of: field) else { return nil }
        return unsafe FlatVector(bytes, referredToAt: place)
    }

    /// The number that is the field of this number; 0 where it is left out.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ field: Int, as type: Number.Type) -> Number {
        guard let place = unsafe place(of: field) else { return 0 }
        return unsafe bytes.number(at: place, as: type) ?? 0
    }

    private func place(of field: Int) -> Int? {
        guard let back = unsafe bytes.number(at: start, as: Int32.self) else { return nil }
        let fields = unsafe start - Int(back)
        guard let size = unsafe bytes.number(at: fields, as: UInt16.self), Int(size) >= 6 + 2 * field,
            let offset = unsafe bytes.number(at: fields + 4 + 2 * field, as: UInt16.self), offset > 0
        else { return nil }
        return unsafe start + Int(offset)
    }
}

/// A vector of a FlatBuffer: of indices, of tables or of bytes.
@unsafe
struct FlatVector {
    let bytes: UnsafeRawBufferPointer
    let start: Int
    let count: Int

    init?(_ bytes: UnsafeRawBufferPointer, referredToAt place: Int) {
        guard let offset = unsafe bytes.number(at: place, as: UInt32.self),
            let count = unsafe bytes.number(at: place + Int(offset), as: UInt32.self)
        else { return nil }
        unsafe self.bytes = unsafe bytes
        unsafe start = place + Int(offset) + 4
        unsafe self.count = Int(count)
        guard unsafe start + self.count <= bytes.count else { return nil }
    }

    func place(of element: Int) -> Int { unsafe start + 4 * element }

    func index(_ element: Int) -> Int32? {
        guard element >= 0, unsafe element < count else { return nil }
        return unsafe bytes.number(at: place(of: element), as: Int32.self)
    }

    /// All of its indices.
    var indices: [Int32] { (0..<(unsafe count)).compactMap { unsafe index($0) } }

    func table(_ element: Int) -> FlatTable? {
        guard element >= 0, unsafe element < count else { return nil }
        return unsafe FlatTable(bytes, referredToAt: place(of: element))
    }

    /// A whole number of 32 bits among the bytes; where it stands, ``place(of:)`` tells.
    func number(_ element: Int) -> Int32? {
        guard element >= 0, unsafe 4 * element + 4 <= count else { return nil }
        return unsafe bytes.number(at: place(of: element), as: Int32.self)
    }

    var text: String {
        unsafe String(decoding: bytes[start..<start + count], as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// A number of the FlatBuffer; `nil` outside of it.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int, as type: Number.Type) -> Number? {
        guard place >= 0, place <= count - MemoryLayout<Number>.size else { return nil }
        return Number(littleEndian: unsafe loadUnaligned(fromByteOffset: place, as: type))
    }
}
