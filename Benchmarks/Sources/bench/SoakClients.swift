import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Clients of the control socket and of the panel that connect, request reactions, change settings, and disconnect.
struct SoakClients {
    /// The control socket.
    let socket: String
    /// The program's standard error, which contains the panel's address.
    let errors: String

    /// A few of each.
    func visit(_ round: Int) {
        talk(round)
        browse(round)
    }

    /// One requests, one observes, one disconnects in the middle of a line.
    private func talk(_ round: Int) {
        guard let client = try? LiveSocket(socket), let watcher = try? LiveSocket(socket),
            let rude = try? LiveSocket(socket)
        else { return }
        watcher.say(#"{"command": "observe"}"#)
        let type = ["confetti", "heart", "balloons", "lasers"][round % 4]
        client.say(#"{"command": "perform", "reactionType": "\#(type)"}"#)
        for (name, value) in settings(round) {
            client.say(#"{"command": "set", "name": "\#(name)", "value": \#(value)}"#)
        }
        client.say(#"{"command": "get"}"#)
        rude.say(String(repeating: "{", count: round % 3 == 0 ? 100_000 : 10))
        usleep(300_000)
        client.drain()
        watcher.drain()
    }

    /// The changes of a round: each property returns to its first value after some rounds.
    private func settings(_ round: Int) -> [(String, String)] {
        [
            ("intensity", round % 2 == 0 ? "0.6" : "1"), ("calm", round % 7 == 3 ? "true" : "false"),
            ("gestures.victory", round % 3 == 0 ? "false" : "true"), ("gestureSnooze", round % 5 == 0 ? "2" : "0"),
            ("reactionEffectsEnabled", round % 11 == 5 ? "false" : "true"),
        ]
    }

    /// A browser that loads the panel, follows it for a while and leaves; every third time in the middle of a
    /// request.
    private func browse(_ round: Int) {
        let log = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
        guard let url = log.split(whereSeparator: \.isWhitespace).first(where: { $0.hasPrefix("http://") }),
            let curl = try? Child.locate("curl")
        else { return }
        let pages = round % 3 == 0 ? ["events"] : ["", "state", "preview.jpg", "events"]
        let browser = Process()
        browser.executableURL = URL(filePath: curl)
        browser.arguments = ["--silent", "--max-time", "0.5"] + pages.map { "\(url)\($0)" }
        (browser.standardOutput, browser.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? browser.run()) != nil else { return }
        browser.waitUntilExit()
    }
}
