import Testing

@testable import MediaIO

@Suite("FFmpeg versions at run time") struct MediaLibrariesTests {
    @Test func buildVersionsAreAccepted() { #expect(MediaLibraries.fault == nil) }

    @Test func otherVersionsAreNamed() {
        let built: [UInt32] = [0x3B1B_64, 0x3B25_64, 0x0607_64, 0x391C_64]
        #expect(MediaLibraries.fault(inUse: built, built: built) == nil)
        // Newer ones of the same major version hold all that older ones do.
        #expect(MediaLibraries.fault(inUse: [0x3B1C_00, 0x3B26_00, 0x0608_00, 0x391D_00], built: built) == nil)
        for (index, name) in ["libavformat", "libavcodec", "libswscale", "libavutil"].enumerated() {
            var older = built
            older[index] -= 0x100
            #expect(MediaLibraries.fault(inUse: older, built: built)?.contains(name) == true)
            var other = built
            other[index] += 0x1_0000
            #expect(MediaLibraries.fault(inUse: other, built: built)?.contains(name) == true)
        }
    }
}
