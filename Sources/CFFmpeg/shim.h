// FFmpeg for Swift: the headers, the macros that Swift cannot import, and functions where FFmpeg's interface differs
// between releases 5.1 and 9.
#ifndef CFFMPEG_SHIM_H
#define CFFMPEG_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/ffversion.h>
#include <libavutil/imgutils.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <libavutil/murmur3.h>
#include <libavutil/opt.h>
#include <libavutil/parseutils.h>
#include <libavutil/pixdesc.h>
#include <libavutil/sha.h>
#include <libavutil/timecode.h>
#include <libavutil/video_enc_params.h>
#include <libswscale/swscale.h>

#include <string.h>

#include "groups.h"

static const int cffmpeg_error_eagain = AVERROR(EAGAIN);
static const int cffmpeg_error_enomem = AVERROR(ENOMEM);
static const int cffmpeg_error_eof = AVERROR_EOF;
static const int cffmpeg_error_exit = AVERROR_EXIT;
static const int cffmpeg_error_invalid_data = AVERROR_INVALIDDATA;
static const int cffmpeg_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int cffmpeg_error_protocol_not_found = AVERROR_PROTOCOL_NOT_FOUND;
static const int cffmpeg_error_patch_welcome = AVERROR_PATCHWELCOME;
static const int64_t cffmpeg_no_pts = AV_NOPTS_VALUE;

// The release and the library versions of the headers that this is compiled with.
static inline const char *cffmpeg_built_release(void) { return FFMPEG_VERSION; }
static const unsigned cffmpeg_built_avformat = LIBAVFORMAT_VERSION_INT;
static const unsigned cffmpeg_built_avcodec = LIBAVCODEC_VERSION_INT;
static const unsigned cffmpeg_built_swscale = LIBSWSCALE_VERSION_INT;
static const unsigned cffmpeg_built_avutil = LIBAVUTIL_VERSION_INT;

static inline int cffmpeg_averror(int code) { return AVERROR(code); }

// `av_parser_init`, which takes an int before FFmpeg 9.
static inline AVCodecParserContext *cffmpeg_parser(enum AVCodecID codec) { return av_parser_init(codec); }

// What a demuxer logged. Both texts are in FFmpeg's words, and recorded if the context's `opaque` points to this
// structure. `self` points to the structure itself, since `opaque` may point to something else.
typedef struct {
    const void *self;
    // The first error, or missing part of a playlist, since the text was emptied.
    char text[200];
    // The streams that FFmpeg does not read, one a line.
    char unread[400];
} cffmpeg_complaint;

static inline int cffmpeg_begins(const char *format, const char *words)
{
    return strncmp(format, words, strlen(words)) == 0;
}

static inline void cffmpeg_hear_log(void *object, int level, const char *format, va_list values)
{
    if (!object || level > AV_LOG_INFO || *(const AVClass **)object != avformat_get_class()) return;
    const AVFormatContext *context = object;
    cffmpeg_complaint *complaint = context->iformat ? context->opaque : 0;
    if (!complaint || complaint->self != complaint) return;
    // Messages of matroskadec.c and hls.c.
    if (cffmpeg_begins(format, "Unknown/unsupported AVCodecID") || cffmpeg_begins(format, "Can't support the subtitle")) {
        size_t length = strlen(complaint->unread);
        vsnprintf(complaint->unread + length, sizeof complaint->unread - length, format, values);
    } else if (!complaint->text[0] && (level <= AV_LOG_ERROR || cffmpeg_begins(format, "Failed to open segment"))) {
        vsnprintf(complaint->text, sizeof complaint->text, format, values);
    }
}

static inline void cffmpeg_print_log(void *object, int level, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    cffmpeg_hear_log(object, level, format, again);
    va_end(again);
    av_log_default_callback(object, level, format, values);
}

// Writes FFmpeg's log to stderr from `level` up, or discards it. Errors of demuxers are recorded in both cases.
static inline void cffmpeg_set_log(int to_stderr, int level)
{
    av_log_set_level(level);
    av_log_set_callback(to_stderr ? cffmpeg_print_log : cffmpeg_hear_log);
}

static inline int cffmpeg_frame_is_key(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
    return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame->key_frame;
#endif
}

static inline int cffmpeg_frame_is_interlaced(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame;
#endif
}

static inline int64_t cffmpeg_frame_duration(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

static inline void cffmpeg_frame_set_duration(AVFrame *frame, int64_t duration)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    frame->duration = duration;
#else
    frame->pkt_duration = duration;
#endif
}

// Side data of a whole stream, such as its display matrix.
static inline const uint8_t *cffmpeg_stream_side_data(
    const AVStream *stream, enum AVPacketSideDataType type, size_t *size)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *entry = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    *size = entry ? entry->size : 0;
    return entry ? entry->data : 0;
#else
    return av_stream_get_side_data(stream, type, size);
#endif
}

static inline uint8_t *cffmpeg_stream_new_side_data(
    AVStream *stream, enum AVPacketSideDataType type, size_t size)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    AVPacketSideData *entry = av_packet_side_data_new(
        &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data, type, size, 0);
    return entry ? entry->data : 0;
#else
    return av_stream_new_side_data(stream, type, size);
#endif
}

// The pixel formats that an encoder announces, up to `AV_PIX_FMT_NONE`; null if it accepts all.
static inline const enum AVPixelFormat *cffmpeg_pixel_formats(const AVCodec *codec)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void *formats = 0;
    if (avcodec_get_supported_config(0, codec, AV_CODEC_CONFIG_PIX_FORMAT, 0, &formats, 0) < 0) return 0;
    return formats;
#else
    return codec->pix_fmts;
#endif
}

// A scaler with one type for all versions. `struct SwsContext` is incomplete up to FFmpeg 7.0, and Swift imports
// pointers to incomplete types as a different type. The flags are an enumeration from 8 on.
typedef struct cffmpeg_scaler cffmpeg_scaler;

// `sws_getCachedContext` with the flags that all conversions use. It frees `scaler` if that has other sizes or formats.
static inline cffmpeg_scaler *cffmpeg_cached_scaler(
    cffmpeg_scaler *scaler, int width, int height, enum AVPixelFormat format, int target_width, int target_height,
    enum AVPixelFormat target_format)
{
    return (cffmpeg_scaler *)sws_getCachedContext(
        (struct SwsContext *)scaler, width, height, format, target_width, target_height, target_format,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, 0, 0, 0);
}

static inline void cffmpeg_set_colours(
    cffmpeg_scaler *scaler, int matrix, int is_full, int target_matrix, int target_is_full)
{
    sws_setColorspaceDetails(
        (struct SwsContext *)scaler, sws_getCoefficients(matrix), is_full, sws_getCoefficients(target_matrix),
        target_is_full, 0, 1 << 16, 1 << 16);
}

static inline int cffmpeg_scale(cffmpeg_scaler *scaler, const AVFrame *source, AVFrame *target)
{
    return sws_scale(
        (struct SwsContext *)scaler, (const uint8_t *const *)source->data, source->linesize, 0, source->height,
        target->data, target->linesize);
}

static inline void cffmpeg_free_scaler(cffmpeg_scaler *scaler) { sws_freeContext((struct SwsContext *)scaler); }

// Lays out the planes of a frame in memory, for a width that may be larger than the frame's.
static inline int cffmpeg_fill_planes(AVFrame *frame, const uint8_t *memory, int width, int alignment)
{
    return av_image_fill_arrays(
        frame->data, frame->linesize, memory, (enum AVPixelFormat)frame->format, width, frame->height, alignment);
}

#ifdef __GLIBC__
#include <malloc.h>
#endif

// Limits the number of glibc's memory arenas, of which FFmpeg's many threads would use many: see MediaMemory.
static inline void cffmpeg_limit_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}

// Makes glibc return allocated memory zeroed, as new pages are: it fills memory with the complement of the number.
static inline void cffmpeg_clear_new_memory(void) {
#ifdef __GLIBC__
    mallopt(M_PERTURB, 0xFF);
#endif
}

// Returns freed memory to the system. By default glibc raises its threshold with each large block that is freed;
// setting the threshold disables that.
static inline void cffmpeg_return_freed_memory(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
#endif
}

#endif
