// Streams: pictures of a camera, and our camera.
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MARK: - Formats

static const struct {
    cpw_format format;
    uint32_t spa;
} formats[] = {
    {CPW_I420, SPA_VIDEO_FORMAT_I420}, {CPW_NV12, SPA_VIDEO_FORMAT_NV12}, {CPW_YUY2, SPA_VIDEO_FORMAT_YUY2},
    {CPW_UYVY, SPA_VIDEO_FORMAT_UYVY}, {CPW_BGRX, SPA_VIDEO_FORMAT_BGRx}, {CPW_RGB, SPA_VIDEO_FORMAT_RGB},
};

cpw_format cpw_format_of(uint32_t spa) {
    for (size_t i = 0; i < SPA_N_ELEMENTS(formats); i++)
        if (formats[i].spa == spa) return formats[i].format;
    return CPW_UNKNOWN;
}

static uint32_t spa_format_of(cpw_format format) {
    for (size_t i = 0; i < SPA_N_ELEMENTS(formats); i++)
        if (formats[i].format == format) return formats[i].spa;
    return SPA_VIDEO_FORMAT_UNKNOWN;
}

static const struct spa_pod *build_format(struct spa_pod_builder *builder, const cpw_mode *mode) {
    const struct spa_rectangle size = SPA_RECTANGLE((uint32_t)mode->width, (uint32_t)mode->height);
    const struct spa_fraction rate = SPA_FRACTION(mode->rate_numerator, mode->rate_denominator);
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), 0);
    if (mode->format == CPW_MJPG) {
        spa_pod_builder_add(builder, SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_mjpg), 0);
    } else {
        spa_pod_builder_add(
            builder, SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
            SPA_POD_Id(spa_format_of(mode->format)), 0);
    }
    spa_pod_builder_add(
        builder, SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&rate), 0);
    return spa_pod_builder_pop(builder, &frame);
}

static int32_t round_up(int32_t value, int32_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// The planes of a picture in one block of memory, as GStreamer and FFmpeg lay them out.
///
/// `stride` is that of the first plane; 0 for rows of a multiple of four bytes. Returns the size in bytes.
static int32_t lay_out(cpw_picture *picture, uint8_t *memory, int32_t stride) {
    const int32_t width = picture->mode.width, height = picture->mode.height;
    const int32_t rows = round_up(height, 2);
    picture->planes[0] = memory;
    picture->plane_count = 1;
    switch (picture->mode.format) {
        case CPW_I420: {
            if (stride <= 0) stride = round_up(width, 4);
            const int32_t chroma = round_up(round_up(width, 2) / 2, 4);
            const int32_t half = stride == round_up(width, 4) ? chroma : stride / 2;
            picture->plane_count = 3;
            picture->strides[0] = stride;
            picture->strides[1] = picture->strides[2] = half;
            picture->planes[1] = memory + (size_t)stride * rows;
            picture->planes[2] = picture->planes[1] + (size_t)half * (rows / 2);
            return stride * rows + 2 * half * (rows / 2);
        }
        case CPW_NV12:
            if (stride <= 0) stride = round_up(width, 4);
            picture->plane_count = 2;
            picture->strides[0] = picture->strides[1] = stride;
            picture->planes[1] = memory + (size_t)stride * rows;
            return stride * rows + stride * (rows / 2);
        case CPW_YUY2:
        case CPW_UYVY:
            if (stride <= 0) stride = round_up(2 * width, 4);
            break;
        case CPW_BGRX:
            if (stride <= 0) stride = 4 * width;
            break;
        case CPW_RGB:
            if (stride <= 0) stride = round_up(3 * width, 4);
            break;
        default:
            stride = 0;
    }
    picture->strides[0] = stride;
    return stride * height;
}

// MARK: - Callbacks of PipeWire

void cpw_on_state(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    (void)old;
    cpw_stream *stream = data;
    switch (state) {
        case PW_STREAM_STATE_ERROR: stream->state = CPW_FAILED; break;
        case PW_STREAM_STATE_UNCONNECTED: stream->state = CPW_FAILED; break;
        case PW_STREAM_STATE_CONNECTING: stream->state = CPW_CONNECTING; break;
        case PW_STREAM_STATE_PAUSED: stream->state = CPW_PAUSED; break;
        case PW_STREAM_STATE_STREAMING: stream->state = CPW_RUNNING; break;
    }
    stream->events.changed(stream->events.context, stream->state, error);
}

/// Agrees on the buffers' memory after the format was negotiated.
static void on_param_changed(void *data, uint32_t id, const struct spa_pod *param) {
    cpw_stream *stream = data;
    if (id != SPA_PARAM_Format) return;
    stream->mode = (cpw_mode){0};
    if (!param) return;
    uint32_t type, subtype;
    if (spa_format_parse(param, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video) return;
    if (subtype == SPA_MEDIA_SUBTYPE_mjpg) {
        struct spa_video_info_mjpg info;
        memset(&info, 0, sizeof info);
        if (spa_format_video_mjpg_parse(param, &info) < 0) return;
        stream->mode = (cpw_mode){
            CPW_MJPG, (int32_t)info.size.width, (int32_t)info.size.height, info.framerate.num, info.framerate.denom};
    } else {
        struct spa_video_info_raw info;
        memset(&info, 0, sizeof info);
        if (spa_format_video_raw_parse(param, &info) < 0) return;
        stream->mode = (cpw_mode){
            cpw_format_of(info.format), (int32_t)info.size.width, (int32_t)info.size.height, info.framerate.num,
            info.framerate.denom};
    }

    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[2];
    const int32_t types = 1 << SPA_DATA_MemFd | 1 << SPA_DATA_MemPtr;
    if (stream->is_output) {
        cpw_picture picture = {.mode = stream->mode};
        const int32_t size = lay_out(&picture, NULL, 0);
        params[0] = spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
            SPA_POD_CHOICE_RANGE_Int(4, 2, 16), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
            SPA_POD_Int(size), SPA_PARAM_BUFFERS_stride, SPA_POD_Int(picture.strides[0]), SPA_PARAM_BUFFERS_dataType,
            SPA_POD_CHOICE_FLAGS_Int(types));
    } else {
        params[0] = spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
            SPA_POD_CHOICE_RANGE_Int(4, 2, 16), SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(types));
    }
    params[1] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Header),
        SPA_PARAM_META_size, SPA_POD_Int(sizeof(struct spa_meta_header)));
    PW(stream_update_params)(stream->stream, params, 2);
    stream->events.negotiated(stream->events.context, &stream->mode);
}

static void on_process(void *data) {
    cpw_stream *stream = data;
    if (stream->is_output) return;
    // Only the newest picture counts: older ones are late already.
    struct pw_buffer *buffer = NULL, *newer;
    while ((newer = PW(stream_dequeue_buffer)(stream->stream))) {
        if (buffer) PW(stream_queue_buffer)(stream->stream, buffer);
        buffer = newer;
    }
    if (!buffer) return;
    const struct spa_buffer *content = buffer->buffer;
    const struct spa_data *first = &content->datas[0];
    cpw_picture picture = {.mode = stream->mode, .time = -1};
    const struct spa_meta_header *header =
        spa_buffer_find_meta_data(content, SPA_META_Header, sizeof(struct spa_meta_header));
    if (header) picture.time = header->pts;
    const bool is_corrupt = (header && header->flags & SPA_META_HEADER_FLAG_CORRUPTED) ||
                            (first->chunk && first->chunk->flags & SPA_CHUNK_FLAG_CORRUPTED);
    if (content->n_datas > 0 && first->data && first->chunk && first->chunk->size > 0 && !is_corrupt &&
        first->chunk->offset <= first->maxsize && stream->mode.format != CPW_UNKNOWN) {
        uint8_t *memory = (uint8_t *)first->data + first->chunk->offset;
        const uint32_t available = SPA_MIN(first->chunk->size, first->maxsize - first->chunk->offset);
        bool is_complete = true;
        if (stream->mode.format == CPW_MJPG) {
            picture.plane_count = 1;
            picture.planes[0] = memory;
            picture.strides[0] = (int32_t)available;
        } else {
            const int32_t needed = lay_out(&picture, memory, first->chunk->stride);
            if (content->n_datas >= (uint32_t)picture.plane_count && picture.plane_count > 1) {
                for (int32_t i = 0; i < picture.plane_count; i++) {
                    const struct spa_data *plane = &content->datas[i];
                    is_complete = is_complete && plane->data && plane->chunk;
                    if (!is_complete) break;
                    picture.planes[i] = (uint8_t *)plane->data + plane->chunk->offset;
                    if (plane->chunk->stride > 0) picture.strides[i] = plane->chunk->stride;
                    const int32_t rows = i == 0 ? stream->mode.height : (stream->mode.height + 1) / 2;
                    is_complete = (uint64_t)picture.strides[i] * rows + plane->chunk->offset <= plane->maxsize;
                }
            } else {
                is_complete = needed > 0 && (uint32_t)needed <= first->maxsize - first->chunk->offset;
            }
        }
        if (is_complete) stream->events.arrived(stream->events.context, &picture);
    }
    PW(stream_queue_buffer)(stream->stream, buffer);
}

static void on_add_buffer(void *data, struct pw_buffer *buffer) {
    cpw_stream *stream = data;
    if (stream->buffer_count < SPA_N_ELEMENTS(stream->buffers)) stream->buffers[stream->buffer_count++] = buffer;
}

static void on_remove_buffer(void *data, struct pw_buffer *buffer) {
    cpw_stream *stream = data;
    size_t kept = 0;
    for (size_t i = 0; i < stream->buffer_count; i++)
        if (stream->buffers[i] != buffer) stream->buffers[kept++] = stream->buffers[i];
    stream->buffer_count = kept;
}

static const struct pw_stream_events stream_events = {
    .version = 2,
    .state_changed = cpw_on_state,
    .param_changed = on_param_changed,
    .add_buffer = on_add_buffer,
    .remove_buffer = on_remove_buffer,
    .process = on_process,
};

// MARK: - Opening and closing

static cpw_stream *open_stream(
    cpw_session *session, const char *name, const struct spa_dict *properties, bool is_output, uint32_t flags,
    const cpw_mode *modes, size_t count, const cpw_stream_events *events, char message[CPW_MESSAGE_SIZE]) {
    cpw_stream *stream = calloc(1, sizeof *stream);
    // A format takes some 150 bytes.
    const uint32_t size = (uint32_t)(256 * count);
    uint8_t *memory = malloc(size);
    const struct spa_pod **params = calloc(count, sizeof *params);
    if (!stream || !memory || !params) {
        cpw_say(message, "memory is exhausted");
        free(stream), free(memory), free(params);
        return NULL;
    }
    stream->session = session;
    stream->events = *events;
    stream->is_output = is_output;
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, size);
    for (size_t i = 0; i < count; i++) params[i] = build_format(&builder, &modes[i]);
    stream = cpw_connect(stream, name, properties, flags, params, (uint32_t)count, &stream_events, message);
    free(memory), free(params);
    return stream;
}

cpw_stream *cpw_connect(
    cpw_stream *stream, const char *name, const struct spa_dict *properties, uint32_t flags, const struct spa_pod **params,
    uint32_t count, const struct pw_stream_events *callbacks, char message[CPW_MESSAGE_SIZE]) {
    cpw_session *session = stream->session;
    PW(thread_loop_lock)(session->loop);
    stream->stream = PW(stream_new)(session->core, name, PW(properties_new_dict)(properties));
    int result = stream->stream ? 0 : -errno;
    if (stream->stream) {
        PW(stream_add_listener)(stream->stream, &stream->listener, callbacks, stream);
        result = PW(stream_connect)(
            stream->stream, stream->is_output ? SPA_DIRECTION_OUTPUT : SPA_DIRECTION_INPUT, PW_ID_ANY,
            (enum pw_stream_flags)flags, params, count);
        if (result < 0) {
            spa_hook_remove(&stream->listener);
            PW(stream_destroy)(stream->stream);
        }
    }
    if (result >= 0) {
        stream->next = session->streams;
        session->streams = stream;
    }
    PW(thread_loop_unlock)(session->loop);
    if (result < 0) {
        cpw_say(message, "PipeWire refuses the stream: %s", strerror(-result));
        free(stream);
        return NULL;
    }
    return stream;
}

cpw_stream *cpw_read(
    cpw_session *session, const char *camera, const cpw_mode *modes, size_t count, const cpw_stream_events *events,
    char message[CPW_MESSAGE_SIZE]) {
    struct spa_dict_item items[] = {
        {"media.type", "Video"}, {"media.category", "Capture"}, {"media.role", "Camera"},
        {"node.name", "flourish-capture"}, {"target.object", camera ? camera : ""},
    };
    const struct spa_dict properties = SPA_DICT_INIT(items, camera ? 5 : 4);
    return open_stream(
        session, "flourish-capture", &properties, false,
        PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_DONT_RECONNECT, modes, count, events,
        message);
}

cpw_stream *cpw_provide(
    cpw_session *session, const char *name, const char *title, const cpw_mode *modes, size_t count,
    const cpw_stream_events *events, char message[CPW_MESSAGE_SIZE]) {
    char path[256];
    snprintf(path, sizeof path, CPW_PATH_PREFIX "%s", name);
    struct spa_dict_item items[] = {
        {"media.class", "Video/Source"}, {"media.role", "Camera"}, {"node.name", name}, {"node.description", title},
        {"node.virtual", "true"}, {"object.path", path},
    };
    const struct spa_dict properties = SPA_DICT_INIT_ARRAY(items);
    return open_stream(
        session, name, &properties, true, PW_STREAM_FLAG_MAP_BUFFERS | PW_STREAM_FLAG_DRIVER, modes, count, events, message);
}

static void release(cpw_stream *stream) {
    spa_hook_remove(&stream->listener);
    PW(stream_destroy)(stream->stream);
    free(stream);
}

void cpw_stream_close(cpw_stream *stream) {
    if (!stream) return;
    cpw_session *session = stream->session;
    PW(thread_loop_lock)(session->loop);
    for (cpw_stream **link = &session->streams; *link; link = &(*link)->next) {
        if (*link != stream) continue;
        *link = stream->next;
        break;
    }
    release(stream);
    PW(thread_loop_unlock)(session->loop);
}

void cpw_close_streams(cpw_session *session) {
    while (session->streams) {
        cpw_stream *stream = session->streams;
        session->streams = stream->next;
        release(stream);
    }
}

// MARK: - Our camera

/// The time after which a buffer that readers hold is used again, in nanoseconds.
static const int64_t longest_hold = 250000000;
/// The time for which such buffers are used at once after that. A reader that stalls returns none, but the others return some.
static const int64_t reuse_time = 2000000000;

/// Returns a buffer for the picture of a time; NULL if there is none.
///
/// A reader that stalls keeps every buffer that it was passed, and without a buffer the other readers would stall as well. Its
/// pictures are overwritten.
static struct pw_buffer *take_buffer(cpw_stream *stream, int64_t time) {
    struct pw_buffer *buffer = PW(stream_dequeue_buffer)(stream->stream);
    if (buffer) {
        stream->last_free = time;
    } else if (stream->buffer_count > 0 && (time - stream->last_free > longest_hold || time < stream->reuse_until)) {
        stream->reuse_until = time + reuse_time;
        buffer = stream->buffers[0];
    }
    if (!buffer) return NULL;
    // It becomes the last one.
    on_remove_buffer(stream, buffer);
    on_add_buffer(stream, buffer);
    return buffer;
}

bool cpw_deliver(cpw_stream *stream, int64_t time, void (*write)(void *context, const cpw_picture *picture), void *context) {
    PW(thread_loop_lock)(stream->session->loop);
    bool is_delivered = false;
    struct pw_buffer *buffer = NULL;
    if (stream->state == CPW_RUNNING && stream->mode.format != CPW_UNKNOWN)
        buffer = take_buffer(stream, time);
    if (buffer) {
        struct spa_data *data = &buffer->buffer->datas[0];
        cpw_picture picture = {.mode = stream->mode, .time = time};
        const int32_t size = lay_out(&picture, data->data, 0);
        if (data->data && size > 0 && (uint32_t)size <= data->maxsize) {
            write(context, &picture);
            data->chunk->offset = 0;
            data->chunk->size = (uint32_t)size;
            data->chunk->stride = picture.strides[0];
            data->chunk->flags = 0;
            is_delivered = true;
        } else {
            data->chunk->size = 0;
        }
        struct spa_meta_header *header =
            spa_buffer_find_meta_data(buffer->buffer, SPA_META_Header, sizeof(struct spa_meta_header));
        if (header) {
            header->pts = time;
            header->flags = 0;
            header->seq = stream->sequence++;
            header->dts_offset = 0;
        }
        PW(stream_queue_buffer)(stream->stream, buffer);
        if (PW(stream_is_driving)(stream->stream)) PW(stream_trigger_process)(stream->stream);
    }
    PW(thread_loop_unlock)(stream->session->loop);
    return is_delivered;
}
