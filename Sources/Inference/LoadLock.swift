internal import Synchronization

/// Held while a model is loaded: LiteRT's own messages are kept off standard
/// error meanwhile, which is one thing of the whole process.
let loadLock = Mutex<Void>(())
