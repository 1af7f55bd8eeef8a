// A small interface to PipeWire: its cameras, pictures from one of them, a camera of our own, and a microphone's sound.
//
// The library is loaded at run time, so that the program starts on machines without PipeWire. PipeWire's own interface is
// made of inline functions and macros that Swift cannot import.
//
// Callbacks are called on the session's thread, one after the other. They must not call `cpw_close`.
#ifndef CPIPEWIRE_H
#define CPIPEWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The length of a message's buffer, including the final zero.
#define CPW_MESSAGE_SIZE 256
#define CPW_MAX_PLANES 4

/// A connection to PipeWire, with its own thread.
typedef struct cpw_session cpw_session;

/// A stream of pictures from a camera, or to the readers of our camera.
typedef struct cpw_stream cpw_stream;

/// The pixel formats that cameras use.
typedef enum : int32_t {
    CPW_UNKNOWN = 0,
    CPW_I420,
    CPW_NV12,
    CPW_YUY2,
    CPW_UYVY,
    CPW_BGRX,
    CPW_RGB,
    /// Each picture is a JPEG file.
    CPW_MJPG,
} cpw_format;

/// Pictures of one size and rate.
typedef struct {
    cpw_format format;
    int32_t width, height;
    /// Pictures a second; 0/1 if the rate varies.
    uint32_t rate_numerator, rate_denominator;
} cpw_mode;

/// A camera of PipeWire. The strings are valid during the callback.
typedef struct {
    uint32_t id;
    /// Unique and stable while the device is plugged in: `node.name`.
    const char *name;
    /// For people: `node.description`, or the name.
    const char *title;
    /// The path of its device of Video4Linux; NULL for other cameras.
    const char *device;
    /// The camera is one of `cpw_provide`.
    bool is_provided;
} cpw_camera;

typedef struct {
    void *context;
    /// A camera was plugged in, or existed when the session began.
    void (*added)(void *context, const cpw_camera *camera);
    /// A camera offers this mode; called for each mode after `added`.
    void (*offered)(void *context, uint32_t id, const cpw_mode *mode);
    /// All modes of a camera were reported.
    void (*ready)(void *context, uint32_t id);
    void (*removed)(void *context, uint32_t id);
    /// All cameras that existed at the beginning, and their modes, were reported.
    void (*listed)(void *context);
    /// PipeWire ended the connection. Streams deliver nothing more; the session must be closed.
    void (*lost)(void *context, const char *reason);
} cpw_session_events;

/// Connects to the PipeWire of the user's session.
///
/// Returns NULL, with a message, if the library is missing or PipeWire does not run.
cpw_session *cpw_open(const cpw_session_events *events, char message[CPW_MESSAGE_SIZE]);

/// Ends the connection and all its streams. No callback is called after it.
void cpw_close(cpw_session *session);

/// The memory of a picture. Packed formats have one plane, NV12 two, I420 three. A JPEG file is one plane whose stride is
/// its size in bytes.
typedef struct {
    cpw_mode mode;
    int32_t plane_count;
    uint8_t *planes[CPW_MAX_PLANES];
    int32_t strides[CPW_MAX_PLANES];
    /// The camera's time stamp in nanoseconds on CLOCK_MONOTONIC; negative if there is none.
    int64_t time;
} cpw_picture;

typedef enum : int32_t {
    /// The stream failed, or its peer is gone; the message says why.
    CPW_FAILED = -1,
    CPW_CONNECTING = 0,
    /// Nothing flows: the camera is not running, or no program reads from it.
    CPW_PAUSED,
    CPW_RUNNING,
} cpw_state;

typedef struct {
    void *context;
    void (*changed)(void *context, cpw_state state, const char *message);
    /// The format was negotiated.
    void (*negotiated)(void *context, const cpw_mode *mode);
    /// For a camera's stream: a picture has arrived. Its memory is valid until the callback returns.
    void (*arrived)(void *context, const cpw_picture *picture);
} cpw_stream_events;

/// Opens a camera for reading. The camera's device runs until the stream is closed.
///
/// `camera` is its `node.name`; NULL for the session manager's default.
/// Returns NULL with a message on failure. Modes are in the order of preference.
cpw_stream *cpw_read(
    cpw_session *session, const char *camera, const cpw_mode *modes, size_t count, const cpw_stream_events *events,
    char message[CPW_MESSAGE_SIZE]);

/// Creates a camera that other programs may read.
///
/// Its state is CPW_RUNNING while a program reads, and CPW_PAUSED otherwise.
cpw_stream *cpw_provide(
    cpw_session *session, const char *name, const char *title, const cpw_mode *modes, size_t count,
    const cpw_stream_events *events, char message[CPW_MESSAGE_SIZE]);

/// Receives samples of one channel; 1 is full scale. Their memory is valid until the callback returns.
typedef void (*cpw_samples_arrived)(void *context, const float *samples, size_t count);

/// Opens a microphone. It is in use until the stream is closed.
///
/// `microphone` is its `node.name`; NULL for the session manager's default. `rate` is in samples a second. Of the events,
/// `changed` is called. Returns NULL with a message on failure.
cpw_stream *cpw_read_microphone(
    cpw_session *session, const char *microphone, uint32_t rate, const cpw_stream_events *events, cpw_samples_arrived arrived,
    char message[CPW_MESSAGE_SIZE]);

void cpw_stream_close(cpw_stream *stream);

/// Delivers a picture to the readers of our camera. `write` fills the memory that it is given, whose mode is the negotiated
/// one. May be called on any thread, but not within a callback of the session.
///
/// Returns false if no program reads, or if the readers still hold all buffers; the picture is then lost for them.
bool cpw_deliver(cpw_stream *stream, int64_t time, void (*write)(void *context, const cpw_picture *picture), void *context);

#endif
