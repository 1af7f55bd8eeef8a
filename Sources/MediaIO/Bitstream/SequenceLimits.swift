/// What an H.264 sequence parameter set demands of decoders (ITU-T H.264, 7.3.2.1.1): what replaces a stretch of
/// the stream may demand no more.
package struct SequenceLimits: Sendable, Hashable {
    /// `profile_idc`.
    package var profile: Int
    /// `level_idc`: ten times the level.
    package var level: Int
    /// `constraint_set` flags, the first one highest.
    package var constraints: UInt8
    /// `max_num_ref_frames`.
    package var referenceFrames: Int
    /// Whether pictures, or parts of them, may be coded as two fields.
    package var mayBeInterlaced: Bool
    /// Whether blocks with the finest quantiser are coded without loss, which takes them out of the transform.
    package var mayBeLossless = false

    /// - Parameter unit: a sequence parameter set with its header.
    init(_ unit: [UInt8]) {
        var reader = BitReader(NALUnit.unescaped(unit.dropFirst()))
        profile = Int(reader.bits(8))
        constraints = UInt8(reader.bits(8))
        level = Int(reader.bits(8))
        _ = reader.unsigned()
        if Self.profilesWithFormat.contains(profile) { mayBeLossless = Self.readFormat(&reader) }
        _ = reader.unsigned()
        switch reader.unsigned() {
        case 0: _ = reader.unsigned()
        case 1:
            _ = reader.bit()
            _ = reader.signed()
            _ = reader.signed()
            for _ in 0..<min(reader.unsigned(), 255) { _ = reader.signed() }
        default: break
        }
        referenceFrames = Int(min(reader.unsigned(), 16))
        _ = reader.bit()
        _ = reader.unsigned()
        _ = reader.unsigned()
        mayBeInterlaced = !reader.bit()
    }

    private static let profilesWithFormat: Set<Int> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// - Returns: `qpprime_y_zero_transform_bypass_flag`.
    private static func readFormat(_ reader: inout BitReader) -> Bool {
        let chroma = reader.unsigned()
        if chroma == 3 { _ = reader.bit() }
        _ = reader.unsigned()
        _ = reader.unsigned()
        let bypasses = reader.bit()
        guard reader.bit() else { return bypasses }
        for list in 0..<(chroma == 3 ? 12 : 8) where reader.bit() {
            skipScalingList(&reader, size: list < 6 ? 16 : 64)
        }
        return bypasses
    }

    /// 7.3.2.1.1.1.
    private static func skipScalingList(_ reader: inout BitReader, size: Int) {
        var (last, next): (Int32, Int32) = (8, 8)
        for _ in 0..<size {
            if next != 0 { next = (last &+ reader.signed() &+ 256) & 255 }
            if next != 0 { last = next }
        }
    }
}
