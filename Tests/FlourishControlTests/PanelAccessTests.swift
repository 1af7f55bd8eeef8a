import Flourish
import Foundation
import TestSupport
import Testing

@testable import FlourishControl

@Suite struct PanelAccessTests {
    private let token = "0123456789abcdef0123456789abcdef"

    private func answer(
        _ path: String, host: String? = "127.0.0.1:8080", origin: String? = nil, site: String? = nil,
        port: UInt16 = 8080
    ) -> Result<Substring, PanelAccess.Refusal> {
        let access = PanelAccess(token: token, address: PanelAddress(host: "127.0.0.1", port: port))
        return Result { () throws(PanelAccess.Refusal) in
            try access.path(to: .init(path: path, host: host, origin: origin, site: site))
        }
    }

    @Test func theTokenGrantsAccess() {
        #expect(answer("/\(token)/") == .success(""))
        #expect(answer("/\(token)/icons/rain.png", host: "localhost:8080") == .success("icons/rain.png"))
        #expect(
            answer("/\(token)/state", host: "[::1]:8080", origin: "http://[::1]:8080", site: "same-origin")
                == .success("state"))
    }

    /// Browsers leave out the port of `http`.
    @Test(arguments: ["127.0.0.1", "127.0.0.1:80", "localhost", "[::1]", "[::1]:80"])
    func hostsNeedNoPortOf80(_ host: String) {
        #expect(answer("/\(token)/", host: host, origin: "http://\(host)", port: 80) == .success(""))
        #expect(answer("/\(token)/", host: host) == .failure(.misdirected))
    }

    @Test(arguments: [
        "/", "", "//", "/state", "/0123456789abcdef0123456789abcdee/", "/0123/", "/0123456789abcdef0123456789abcdef0/",
        "x",
    ])
    func requestsWithoutTheTokenGetNothing(path: String) {
        #expect(answer(path) == .failure(.unknown))
    }

    @Test(
        arguments: [
            (nil, nil, nil), ("evil.example:8080", nil, nil), ("127.0.0.1", nil, nil), ("127.0.0.1:80", nil, nil),
            ("127.0.0.1.evil.example:8080", nil, nil), ("127.0.0.1:8080", "http://evil.example", nil),
            ("127.0.0.1:8080", "null", nil), ("127.0.0.1:8080", "https://127.0.0.1:8080", nil),
            ("127.0.0.1:8080", nil, "cross-site"), ("127.0.0.1:8080", nil, "same-site"),
        ] as [(String?, String?, String?)])
    func otherOriginsAndHostNamesAreRejected(host: String?, origin: String?, site: String?) {
        #expect(answer("/\(token)/", host: host, origin: origin, site: site) == .failure(.misdirected))
    }

    @Test func tokensAreLongAndUnique() {
        let tokens = Set((0..<100).map { _ in PanelToken().text })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func aTokenIsKeptInAFile() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "token").path
            func setMode(_ mode: Int) throws {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            }
            let token = try PanelToken(file: path)
            #expect(try PanelToken(file: path) == token)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)

            try setMode(0o644)
            #expect { try PanelToken(file: path) } throws: { ($0 as? FlourishError)?.code == .inputUnusable }
            try setMode(0o600)
            for text in ["", "short", token.text + "00", String(repeating: "g", count: 32)] {
                try Data(text.utf8).write(to: URL(filePath: path))
                #expect { try PanelToken(file: path) } throws: { ($0 as? FlourishError)?.code == .inputUnusable }
            }
            // The user may have no such folder yet.
            let new = folder.path + "/none/flourish/token"
            #expect(try PanelToken(file: new) == PanelToken(file: new))
            for place in [folder.path, path + "/token"] {
                #expect { try PanelToken(file: place) } throws: { ($0 as? FlourishError)?.code == .outputUnavailable }
            }
        }
    }

    @Test(arguments: [
        ("", "127.0.0.1:0"), ("8080", "127.0.0.1:8080"), ("localhost:81", "127.0.0.1:81"), ("0.0.0.0", "0.0.0.0:0"),
        ("192.168.1.5:9000", "192.168.1.5:9000"), ("[::1]:7", "[::1]:7"), ("::1", "[::1]:0"),
    ])
    func addressesAreParsed(text: String, authority: String) throws {
        #expect(try PanelAddress(text).authority == authority)
    }

    @Test(arguments: ["in.mp4", "example.com:80", "127.0.0.1:99999", "1.2.3:4", "300.1.1.1", "[::1]x"])
    func invalidAddressesAreRefused(text: String) {
        #expect(throws: FlourishError.self) { try PanelAddress(text) }
    }
}
