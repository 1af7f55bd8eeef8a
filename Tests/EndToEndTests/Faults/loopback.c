// Preloaded: the path LOOPBACK_DEVICE behaves like a device of v4l2loopback 0.14 or later. What is written to it is appended to
// LOOPBACK_PICTURES. LOOPBACK_READERS is a named pipe: each 1 or 0 that arrives is a program that begins or ends to read.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLIENT_USAGE (V4L2_EVENT_PRIVATE_START + 0x08E00000 + 1)

static int device = -1, pictures = -1;

static int is_device(const char *path) {
    const char *name = getenv("LOOPBACK_DEVICE");
    return name && path && strcmp(path, name) == 0;
}

int stat(const char *path, struct stat *status) {
    static int (*next)(const char *, struct stat *);
    if (!next) next = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
    const int result = next(path, status);
    if (result == 0 && is_device(path)) status->st_mode = S_IFCHR | 0660;
    return result;
}

int open(const char *path, int flags, ...) {
    static int (*next)(const char *, int, ...);
    if (!next) next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!is_device(path)) return next(path, flags, mode);
    pictures = next(getenv("LOOPBACK_PICTURES"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    return device = next(getenv("LOOPBACK_READERS"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return next(descriptor >= 0 && descriptor == device ? pictures : descriptor, bytes, count);
}

int poll(struct pollfd *waits, nfds_t count, int timeout) {
    static int (*next)(struct pollfd *, nfds_t, int);
    if (!next) next = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    struct pollfd *own = NULL;
    for (nfds_t index = 0; index < count; index++)
        if (device >= 0 && waits[index].fd == device) own = &waits[index];
    if (!own) return next(waits, count, timeout);
    own->events = POLLIN;
    const int result = next(waits, count, timeout);
    own->events = POLLPRI;
    if (own->revents & POLLIN) own->revents = POLLPRI;
    return result;
}

static int answer(unsigned long request, void *argument) {
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *capability = argument;
        memset(capability, 0, sizeof *capability);
        strcpy((char *)capability->driver, "v4l2 loopback");
        strcpy((char *)capability->card, "Flourish");
        capability->device_caps = V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_READWRITE | V4L2_CAP_STREAMING;
        // Another device of the same driver may read.
        capability->capabilities = capability->device_caps | V4L2_CAP_DEVICE_CAPS | V4L2_CAP_VIDEO_CAPTURE;
        return 0;
    }
    case VIDIOC_S_FMT: {
        struct v4l2_format *format = argument;
        if (format->type != V4L2_BUF_TYPE_VIDEO_OUTPUT || format->fmt.pix.pixelformat != V4L2_PIX_FMT_YUYV) return EINVAL;
        format->fmt.pix.bytesperline = 2 * format->fmt.pix.width;
        format->fmt.pix.sizeimage = format->fmt.pix.bytesperline * format->fmt.pix.height;
        return 0;
    }
    case VIDIOC_S_PARM: return ((struct v4l2_streamparm *)argument)->parm.output.timeperframe.numerator == 1 ? 0 : EINVAL;
    case VIDIOC_SUBSCRIBE_EVENT:
        return ((struct v4l2_event_subscription *)argument)->type == CLIENT_USAGE ? 0 : EINVAL;
    case VIDIOC_DQEVENT: {
        struct v4l2_event *event = argument;
        char letter;
        do
            if (read(device, &letter, 1) != 1) return ENOENT;
        while (letter != '0' && letter != '1');
        memset(event, 0, sizeof *event);
        event->type = CLIENT_USAGE;
        event->u.data[0] = (unsigned char)(letter - '0');
        return 0;
    }
    default: return ENOTTY;
    }
}

int ioctl(int descriptor, unsigned long request, ...) {
    static int (*next)(int, unsigned long, ...);
    if (!next) next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (device < 0 || descriptor != device) return next(descriptor, request, argument);
    const int error = answer(request, argument);
    if (error) errno = error;
    return error ? -1 : 0;
}
