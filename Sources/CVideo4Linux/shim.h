// Video4Linux2 for Swift: the calls of a program that writes pictures to a device. Swift cannot import the kernel's macros of
// calls and formats. Every function returns 0 or an error number.
#ifndef CVIDEO4LINUX_SHIM_H
#define CVIDEO4LINUX_SHIM_H

#include <errno.h>
#include <linux/videodev2.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

/// The pixel formats of pictures without compression.
static const uint32_t cv4l_i420 = V4L2_PIX_FMT_YUV420, cv4l_nv12 = V4L2_PIX_FMT_NV12, cv4l_yuy2 = V4L2_PIX_FMT_YUYV,
                      cv4l_uyvy = V4L2_PIX_FMT_UYVY, cv4l_bgrx = V4L2_PIX_FMT_XBGR32, cv4l_rgb = V4L2_PIX_FMT_RGB24;

/// The first number of events that belong to one driver.
static const uint32_t cv4l_private_event = V4L2_EVENT_PRIVATE_START;

/// The lengths of names, including the final zero.
enum { CV4L_DRIVER_SIZE = 17, CV4L_CARD_SIZE = 33 };

/// Pictures of one size.
typedef struct {
    /// A code of four characters, such as `cv4l_yuy2`.
    uint32_t pixels;
    uint32_t width, height;
    /// The length of a row of the first plane, and of the picture, in bytes.
    uint32_t stride, size;
} cv4l_format;

static inline int cv4l_call(int device, unsigned long request, void *argument) {
    int result;
    do result = ioctl(device, request, argument);
    while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}

/// Gets the names of a device's driver and of the device, and whether pictures can be written to it.
static inline int cv4l_identify(
    int device, char driver[CV4L_DRIVER_SIZE], char card[CV4L_CARD_SIZE], bool *accepts_pictures) {
    struct v4l2_capability capability;
    memset(&capability, 0, sizeof capability);
    const int error = cv4l_call(device, VIDIOC_QUERYCAP, &capability);
    if (error) return error;
    memcpy(driver, capability.driver, CV4L_DRIVER_SIZE - 1);
    memcpy(card, capability.card, CV4L_CARD_SIZE - 1);
    driver[CV4L_DRIVER_SIZE - 1] = card[CV4L_CARD_SIZE - 1] = 0;
    const uint32_t all = capability.capabilities;
    *accepts_pictures =
        (all & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : all) & V4L2_CAP_VIDEO_OUTPUT;
    return 0;
}

/// Asks for a format of the pictures that are written, and gets the one that the driver chose.
static inline int cv4l_set_format(int device, cv4l_format *format) {
    struct v4l2_format request;
    memset(&request, 0, sizeof request);
    request.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    struct v4l2_pix_format *picture = &request.fmt.pix;
    picture->width = format->width;
    picture->height = format->height;
    picture->pixelformat = format->pixels;
    picture->field = V4L2_FIELD_NONE;
    picture->bytesperline = format->stride;
    picture->sizeimage = format->size;
    const int error = cv4l_call(device, VIDIOC_S_FMT, &request);
    if (error) return error;
    *format = (cv4l_format){
        picture->pixelformat, picture->width, picture->height, picture->bytesperline, picture->sizeimage};
    return 0;
}

/// Sets the rate that readers see.
static inline int cv4l_set_rate(int device, uint32_t numerator, uint32_t denominator) {
    struct v4l2_streamparm parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    parameters.parm.output.timeperframe.numerator = denominator;
    parameters.parm.output.timeperframe.denominator = numerator;
    return cv4l_call(device, VIDIOC_S_PARM, &parameters);
}

/// Subscribes to an event, and asks for its present value.
static inline int cv4l_subscribe(int device, uint32_t event) {
    struct v4l2_event_subscription subscription;
    memset(&subscription, 0, sizeof subscription);
    subscription.type = event;
    subscription.flags = V4L2_EVENT_SUB_FL_SEND_INITIAL;
    return cv4l_call(device, VIDIOC_SUBSCRIBE_EVENT, &subscription);
}

/// Gets the next event and the number at the beginning of its data; ENOENT if there is none.
static inline int cv4l_next_event(int device, uint32_t *event, uint32_t *value) {
    struct v4l2_event next;
    memset(&next, 0, sizeof next);
    const int error = cv4l_call(device, VIDIOC_DQEVENT, &next);
    if (error) return error;
    *event = next.type;
    memcpy(value, next.u.data, sizeof *value);
    return 0;
}

#endif
