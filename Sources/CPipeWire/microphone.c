// The sound of a microphone.
#include "internal.h"

#include <spa/param/audio/format-utils.h>
#include <stdlib.h>

static void on_process(void *data) {
    cpw_stream *stream = data;
    struct pw_buffer *buffer;
    while ((buffer = PW(stream_dequeue_buffer)(stream->stream))) {
        const struct spa_data *content = &buffer->buffer->datas[0];
        if (buffer->buffer->n_datas > 0 && content->data && content->chunk &&
            content->chunk->offset <= content->maxsize) {
            const uint32_t size = SPA_MIN(content->chunk->size, content->maxsize - content->chunk->offset);
            const uint8_t *memory = (const uint8_t *)content->data + content->chunk->offset;
            if (size >= sizeof(float))
                stream->samples_arrived(stream->events.context, (const float *)memory, size / sizeof(float));
        }
        PW(stream_queue_buffer)(stream->stream, buffer);
    }
}

static const struct pw_stream_events callbacks = {.version = 2, .state_changed = cpw_on_state, .process = on_process};

cpw_stream *cpw_read_microphone(
    cpw_session *session, const char *microphone, uint32_t rate, const cpw_stream_events *events, cpw_samples_arrived arrived,
    char message[CPW_MESSAGE_SIZE]) {
    cpw_stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        cpw_say(message, "memory is exhausted");
        return NULL;
    }
    stream->session = session;
    stream->events = *events;
    stream->samples_arrived = arrived;
    struct spa_dict_item items[] = {
        {"media.type", "Audio"}, {"media.category", "Capture"}, {"media.role", "Communication"},
        {"node.name", "flourish-microphone"}, {"target.object", microphone ? microphone : ""},
    };
    const struct spa_dict properties = SPA_DICT_INIT(items, microphone ? 5 : 4);
    uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_audio_info_raw info = {.format = SPA_AUDIO_FORMAT_F32, .rate = rate, .channels = 1};
    info.position[0] = SPA_AUDIO_CHANNEL_MONO;
    const struct spa_pod *params[] = {spa_format_audio_raw_build(&builder, SPA_PARAM_EnumFormat, &info)};
    return cpw_connect(
        stream, "flourish-microphone", &properties, PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS, params, 1, &callbacks,
        message);
}
