// FFmpeg as Swift sees it: the headers, and the few macros that Swift cannot import.
#ifndef CFFMPEG_SHIM_H
#define CFFMPEG_SHIM_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

static const int cffmpeg_error_eagain = AVERROR(EAGAIN);
static const int cffmpeg_error_eof = AVERROR_EOF;
static const int64_t cffmpeg_no_pts = AV_NOPTS_VALUE;

static inline int cffmpeg_averror(int code) { return AVERROR(code); }

#endif
