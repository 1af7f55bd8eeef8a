import Reactions
import Synchronization
import Testing

@testable import Pipeline

@Suite struct GestureSnoozeTests {
    private let control = SessionControl(configuration: Configuration())

    private func snooze(_ seconds: Double) { control.state.withLock { $0.snooze = GestureSnooze(duration: seconds) } }

    @Test func gesturesAreIgnoredUntilTheEnd() {
        #expect(control.switches(at: 9).gesturesEnabled)
        snooze(300)
        #expect(!control.switches.gesturesEnabled, "from the next frame on")
        #expect(control.state.withLock { $0.snooze?.left } == 300)
        // The snooze starts with the first frame, whatever the video's time.
        #expect(!control.switches(at: 10).gesturesEnabled)
        #expect(!control.switches(at: 200).gesturesEnabled)
        #expect(control.state.withLock { $0.snooze?.left } == 110)
        #expect(!control.switches(at: 309.9).gesturesEnabled)
        #expect(control.switches(at: 310).gesturesEnabled)
        #expect(control.state.withLock { $0.snooze } == nil)
    }

    @Test func backwardTimeEndsTheSnooze() {
        snooze(300)
        _ = control.switches(at: 100)
        #expect(control.switches(at: 1).gesturesEnabled)
    }

    @Test func snoozingEnablesNothing() {
        control.state.withLock { $0.settings.gesturesEnabled = false }
        snooze(1)
        _ = control.switches(at: 0)
        #expect(!control.switches(at: 5).gesturesEnabled)
    }
}
