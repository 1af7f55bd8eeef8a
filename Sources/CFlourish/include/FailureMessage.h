// The message behind `flourish_error_message`. Not installed.
#ifndef FAILURE_MESSAGE_H
#define FAILURE_MESSAGE_H

/// Stores the message of a failure for the calling thread; long messages are cut.
void cflourish_set_message(const char *text);

/// Returns the calling thread's message.
const char *cflourish_message(void);

/// Returns the path of the file that contains this code: the shared library, or a program that it is linked into. Null if it
/// is unknown.
const char *cflourish_file(void);

#endif
