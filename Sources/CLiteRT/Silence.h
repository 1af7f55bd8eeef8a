#ifndef SILENCE_H
#define SILENCE_H

/// Discards the messages that an opened library prints on standard error, for the rest of the process.
///
/// TensorFlow Lite, inside LiteRT, announces its delegate there and exports no way to stop it. The descriptor stays as it is:
/// it belongs to the whole process, and other threads may write to it. Does nothing on systems other than Linux.
void clitert_silence(void *file);

#endif
