import ArgumentParser
import Flourish

/// `2/4`
struct ShareArgument: ExpressibleByArgument {
    let share: RecordingShare

    init?(argument: String) {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1],
            let share = RecordingShare(number, of: count)
        else { return nil }
        self.share = share
    }
}
