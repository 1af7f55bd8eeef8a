public import CFlourish
import Flourish
import Platform
import Reactions
import Synchronization

// The functions of flourish.h, which documents them. The compiler compares their types with the header.

// MARK: Processors

@c @implementation
public func flourish_create(
    _ width: Int32, _ height: Int32, _ format: flourish_pixel_format, _ settings: UnsafePointer<CChar>?,
    _ processor: UnsafeMutablePointer<OpaquePointer?>?
) -> flourish_status {
    status { () throws(CallFailure) in
        guard let processor = unsafe processor else { throw .argument("the place for the processor is NULL") }
        unsafe processor.pointee = nil
        // The host's signal handlers run on its own threads only.
        StageThread.blocksSignals.store(true, ordering: .relaxed)
        let json = try unsafe settings.map { text throws(CallFailure) in unsafe try string(text, "settings") }
        let layout = try PlaneLayout(format, width: Int(width))
        do throws(FlourishError) {
            let created = try HostedProcessor(
                width: Int(width), height: Int(height), layout: layout, settings: ProcessorSettings(json: json))
            unsafe processor.pointee = ProcessorRegistry.insert(created)
        } catch {
            throw CallFailure(error)
        }
    }
}

@c @implementation
public func flourish_destroy(_ processor: OpaquePointer?) { unsafe ProcessorRegistry.remove(processor) }

// MARK: Frames

@c @implementation
public func flourish_process(
    _ processor: OpaquePointer?, _ planes: UnsafePointer<UnsafeMutablePointer<UInt8>?>?,
    _ strides: UnsafePointer<Int32>?, _ time: Int64, _ drawn: UnsafeMutablePointer<Bool>?
) -> flourish_status {
    status { () throws(CallFailure) in
        unsafe drawn?.pointee = false
        let processor = unsafe try ProcessorRegistry.processor(processor)
        let isDrawn = unsafe try processor.process(processor.layout.planes(planes, strides: strides), at: time)
        unsafe drawn?.pointee = isDrawn
    }
}

@c @implementation
public func flourish_finish(_ processor: OpaquePointer?) -> flourish_status {
    status { () throws(CallFailure) in unsafe try ProcessorRegistry.processor(processor).finish() }
}

// MARK: Reactions

@c @implementation
public func flourish_perform(_ processor: OpaquePointer?, _ reaction: UnsafePointer<CChar>?) -> flourish_status {
    status { () throws(CallFailure) in unsafe try perform(processor, reaction, at: nil) }
}

@c @implementation
public func flourish_perform_at(
    _ processor: OpaquePointer?, _ reaction: UnsafePointer<CChar>?, _ x: Double, _ y: Double
) -> flourish_status {
    status { () throws(CallFailure) in
        guard (0...1).contains(x), (0...1).contains(y) else {
            throw .argument("the place (\(x), \(y)) is outside of the picture; use 0 to 1")
        }
        unsafe try perform(processor, reaction, at: PicturePoint(x: x, y: y))
    }
}

@unsafe
private func perform(
    _ processor: OpaquePointer?, _ reaction: UnsafePointer<CChar>?, at place: PicturePoint?
) throws(CallFailure) {
    let session = unsafe try ProcessorRegistry.processor(processor).session
    let type = ReactionType(rawValue: unsafe try string(reaction, "reaction"))
    do { try session.performEffect(for: type, at: place) } catch { throw CallFailure(error) }
}

@c @implementation
public func flourish_cancel(_ processor: OpaquePointer?, _ reaction: UnsafePointer<CChar>?) -> flourish_status {
    status { () throws(CallFailure) in
        let session = unsafe try ProcessorRegistry.processor(processor).session
        guard let reaction = unsafe reaction else {
            session.cancelEffects()
            return
        }
        let type = ReactionType(rawValue: unsafe try string(reaction, "reaction"))
        guard session.availableReactionTypes.contains(type) else {
            throw .argument("there is no reaction \(type.rawValue); flourish_reactions lists them")
        }
        session.cancelEffects(for: type)
    }
}

@c @implementation
public func flourish_cancel_effect(_ processor: OpaquePointer?, _ effect: Int64) -> flourish_status {
    status { () throws(CallFailure) in
        let session = unsafe try ProcessorRegistry.processor(processor).session
        do throws(FlourishError) { try session.cancelEffect(id: Int(effect)) } catch { throw CallFailure(error) }
    }
}

@c @implementation
public func flourish_reactions(
    _ processor: OpaquePointer?, _ names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> flourish_status {
    status { () throws(CallFailure) in
        guard let names = unsafe names else { throw .argument("the place for the names is NULL") }
        unsafe names.pointee = nil
        let session = unsafe try ProcessorRegistry.processor(processor).session
        unsafe try give(JSONLine.encode(session.availableReactionTypes.map(\.rawValue)), to: names)
    }
}

// MARK: Switches

@c @implementation
public func flourish_set_switch(_ processor: OpaquePointer?, _ name: flourish_switch, _ on: Bool) -> flourish_status {
    status { () throws(CallFailure) in
        let session = unsafe try ProcessorRegistry.processor(processor).session
        switch name {
        case FLOURISH_REACTIONS: session.reactionEffectsEnabled = on
        case FLOURISH_GESTURES:
            guard !on || session.configuration.gesturesEnabled else {
                throw CallFailure(
                    FLOURISH_UNAVAILABLE,
                    "the processor was created with recognition.gestures false and has no models; create another one")
            }
            session.reactionEffectGesturesEnabled = on
        default: throw noSwitch(name)
        }
    }
}

@c @implementation
public func flourish_get_switch(
    _ processor: OpaquePointer?, _ name: flourish_switch, _ on: UnsafeMutablePointer<Bool>?
) -> flourish_status {
    status { () throws(CallFailure) in
        let session = unsafe try ProcessorRegistry.processor(processor).session
        guard let on = unsafe on else { throw .argument("the place for the position is NULL") }
        switch name {
        case FLOURISH_REACTIONS: unsafe on.pointee = session.reactionEffectsEnabled
        case FLOURISH_GESTURES: unsafe on.pointee = session.reactionEffectGesturesEnabled
        default: throw noSwitch(name)
        }
    }
}

private func noSwitch(_ name: flourish_switch) -> CallFailure {
    .argument("\(name.rawValue) is not a switch; use FLOURISH_REACTIONS or FLOURISH_GESTURES")
}

@c @implementation
public func flourish_set_gesture(
    _ processor: OpaquePointer?, _ gesture: UnsafePointer<CChar>?, _ on: Bool
) -> flourish_status {
    status { () throws(CallFailure) in
        let session = unsafe try ProcessorRegistry.processor(processor).session
        let name = unsafe try string(gesture, "gesture")
        guard let gesture = session.availableGestures.first(where: { $0.rawValue == name }) else {
            let names = session.availableGestures.map(\.rawValue)
            throw .argument(
                "there is no gesture \(name); \(name.suggestion(among: names))there are \(names.joined(separator: ", "))"
            )
        }
        session.setGesture(gesture, enabled: on)
    }
}

@c @implementation
public func flourish_snooze(_ processor: OpaquePointer?, _ duration: Int64) -> flourish_status {
    status { () throws(CallFailure) in
        let session = unsafe try ProcessorRegistry.processor(processor).session
        guard (0...86_400_000_000_000).contains(duration) else {
            throw .argument("the duration is \(TimeText.seconds(duration)); use 0 to 86400 s, a day")
        }
        session.snoozeGestures(for: Double(duration) / 1e9)
    }
}

// MARK: Settings

@c @implementation
public func flourish_setting_at(_ index: Int32) -> UnsafePointer<flourish_setting>? {
    unsafe settings.indices.contains(Int(index)) ? UnsafePointer(settings.baseAddress! + Int(index)) : nil
}

/// The settings of frames, and their texts, which are never freed.
@safe private nonisolated(unsafe) let settings: UnsafeMutableBufferPointer<flourish_setting> = {
    let keys = SettingKey.all.filter { $0.isForHosts && !$0.isOfGesture }
    let settings = UnsafeMutableBufferPointer<flourish_setting>.allocate(capacity: keys.count)
    _ = unsafe settings.initialize(from: keys.map { key in unsafe setting(key) })
    return unsafe settings
}()

@unsafe
private func setting(_ key: SettingKey) -> flourish_setting {
    var setting = unsafe flourish_setting()
    unsafe (setting.table, setting.name) = unsafe (copy(String(key.table)), copy(String(key.shortName)))
    unsafe (setting.help, setting.unit) = unsafe (copy(key.documentation), copy(key.kind.unit ?? ""))
    unsafe setting.type =
        switch key.kind.type {
        case .boolean: FLOURISH_BOOLEAN
        case .number: FLOURISH_NUMBER
        case .integer: FLOURISH_INTEGER
        case .string: FLOURISH_STRING
        case .strings: FLOURISH_STRINGS
        }
    if let range = key.kind.range {
        unsafe (setting.minimum, setting.maximum) = (range.lowerBound, range.upperBound)
    }
    switch key.builtInValue {
    case .flag(let flag)?: unsafe setting.number = flag ? 1 : 0
    case .text(let text)?: unsafe setting.text = unsafe copy(text)
    case let value?: unsafe setting.number = value.asNumber ?? 0
    case nil: break
    }
    if let names = key.kind.choices {
        let choices = UnsafeMutableBufferPointer<UnsafePointer<CChar>?>.allocate(capacity: names.count + 1)
        _ = unsafe choices.initialize(from: names.map { unsafe copy($0) } + [nil])
        unsafe setting.choices = unsafe UnsafePointer(choices.baseAddress!)
    }
    return unsafe setting
}

/// Returns a copy of a text that stays in memory.
@unsafe
private func copy(_ text: String) -> UnsafePointer<CChar>? { unsafe UnsafePointer(strdup(text)!) }

// MARK: Events

@c @implementation
public func flourish_next_event(
    _ processor: OpaquePointer?, _ event: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> flourish_status {
    status { () throws(CallFailure) in
        guard let event = unsafe event else { throw .argument("the place for the event is NULL") }
        unsafe event.pointee = nil
        guard let next = unsafe try ProcessorRegistry.processor(processor).events.removeFirst() else { return }
        unsafe try give(next.jsonLine, to: event)
    }
}

// MARK: Strings

@c @implementation
public func flourish_version() -> UnsafePointer<CChar>? { version }

@safe private nonisolated(unsafe) let version = unsafe UnsafePointer(strdup(FlourishVersion.number)!)

@c @implementation
public func flourish_error_message() -> UnsafePointer<CChar>? { unsafe cflourish_message() }

@c @implementation
public func flourish_free(_ string: UnsafeMutablePointer<CChar>?) { unsafe free(string) }

/// Returns the text of an argument.
@unsafe
private func string(_ text: UnsafePointer<CChar>?, _ name: String) throws(CallFailure) -> String {
    guard let text = unsafe text else { throw .argument("\(name) is NULL") }
    guard let string = unsafe String(validatingCString: text) else { throw .argument("\(name) is not UTF-8") }
    return string
}

/// Stores a copy of a text, which the host frees.
@unsafe
private func give(
    _ text: String, to place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) throws(CallFailure) {
    guard let copy = unsafe strdup(text) else { throw CallFailure(FLOURISH_FAILED, "out of memory") }
    unsafe place.pointee = unsafe copy
}
