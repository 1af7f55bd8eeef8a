// Groups of streams, such as the substreams of immersive audio (IAMF), which FFmpeg describes from release 7 on.
#ifndef CFFMPEG_GROUPS_H
#define CFFMPEG_GROUPS_H

#include <libavformat/avformat.h>

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(61, 1, 100)
#include <libavutil/iamf.h>
#include <string.h>

static inline unsigned cffmpeg_group_count(const AVFormatContext *context) { return context->nb_stream_groups; }

// The kind of a group in FFmpeg's words, such as `IAMF Audio Element`.
static inline const char *cffmpeg_group_name(const AVFormatContext *context, unsigned index)
{
    return avformat_stream_group_name(context->stream_groups[index]->type);
}

// Whether a stream belongs to a group of immersive audio.
static inline int cffmpeg_is_grouped(const AVFormatContext *context, int stream)
{
    for (unsigned i = 0; i < context->nb_stream_groups; i++) {
        const AVStreamGroup *group = context->stream_groups[i];
        if (group->type != AV_STREAM_GROUP_PARAMS_IAMF_AUDIO_ELEMENT) continue;
        for (unsigned j = 0; j < group->nb_streams; j++)
            if (group->streams[j]->index == stream) return 1;
    }
    return 0;
}

static inline int cffmpeg_copy_parameters(AVIAMFParamDefinition **to, const AVIAMFParamDefinition *from)
{
    size_t size = 0;
    *to = 0;
    if (!from) return 0;
    AVIAMFParamDefinition *copy = av_iamf_param_definition_alloc(from->type, from->nb_subblocks, &size);
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, from, size);
    *to = copy;
    return 0;
}

// The functions below copy a structure with all its plain fields, and then replace what it points to by copies.

static inline int cffmpeg_copy_layer(AVIAMFLayer *to, const AVIAMFLayer *from, const AVStreamGroup *group)
{
    if (!to) return AVERROR(ENOMEM);
    *to = *from;
    to->ch_layout = (AVChannelLayout){0};
    to->demixing_matrix = 0;
    int status = av_channel_layout_copy(&to->ch_layout, &from->ch_layout);
    if (status < 0 || !from->demixing_matrix) return status;
    // The matrix has a column for each channel of a stream, and streams have one or two.
    size_t columns = 0;
    for (unsigned i = 0; i < group->nb_streams; i++)
        columns += group->streams[i]->codecpar->ch_layout.nb_channels == 2 ? 2 : 1;
    to->demixing_matrix = av_memdup(from->demixing_matrix, columns * from->ch_layout.nb_channels * sizeof(AVRational));
    return to->demixing_matrix ? 0 : AVERROR(ENOMEM);
}

static inline int cffmpeg_copy_element(AVIAMFAudioElement *to, const AVIAMFAudioElement *from, const AVStreamGroup *group)
{
    to->audio_element_type = from->audio_element_type;
    to->default_w = from->default_w;
    int status = cffmpeg_copy_parameters(&to->demixing_info, from->demixing_info);
    if (status >= 0) status = cffmpeg_copy_parameters(&to->recon_gain_info, from->recon_gain_info);
    for (unsigned i = 0; i < from->nb_layers && status >= 0; i++)
        status = cffmpeg_copy_layer(av_iamf_audio_element_add_layer(to), from->layers[i], group);
    return status;
}

static inline int cffmpeg_copy_submix_element(AVIAMFSubmixElement *to, const AVIAMFSubmixElement *from)
{
    if (!to) return AVERROR(ENOMEM);
    *to = *from;
    to->element_mix_config = 0;
    to->annotations = 0;
    int status = cffmpeg_copy_parameters(&to->element_mix_config, from->element_mix_config);
    return status < 0 ? status : av_dict_copy(&to->annotations, from->annotations, 0);
}

static inline int cffmpeg_copy_submix_layout(AVIAMFSubmixLayout *to, const AVIAMFSubmixLayout *from)
{
    if (!to) return AVERROR(ENOMEM);
    *to = *from;
    to->sound_system = (AVChannelLayout){0};
    return av_channel_layout_copy(&to->sound_system, &from->sound_system);
}

static inline int cffmpeg_copy_mix(AVIAMFMixPresentation *to, const AVIAMFMixPresentation *from)
{
    int status = av_dict_copy(&to->annotations, from->annotations, 0);
    for (unsigned i = 0; i < from->nb_submixes && status >= 0; i++) {
        const AVIAMFSubmix *submix = from->submixes[i];
        AVIAMFSubmix *copy = av_iamf_mix_presentation_add_submix(to);
        if (!copy) return AVERROR(ENOMEM);
        copy->default_mix_gain = submix->default_mix_gain;
        status = cffmpeg_copy_parameters(&copy->output_mix_config, submix->output_mix_config);
        for (unsigned j = 0; j < submix->nb_elements && status >= 0; j++)
            status = cffmpeg_copy_submix_element(av_iamf_submix_add_element(copy), submix->elements[j]);
        for (unsigned j = 0; j < submix->nb_layouts && status >= 0; j++)
            status = cffmpeg_copy_submix_layout(av_iamf_submix_add_layout(copy), submix->layouts[j]);
    }
    return status;
}

// Adds a copy of a group of immersive audio to `output`. `places` has an index in `output`, or -1, for each stream of
// `input`.
//
// Returns 0, also if the group is of another kind or if a stream of it is not in `output`; then nothing is added. A
// negative result is FFmpeg's code of an error.
static inline int cffmpeg_copy_group(
    AVFormatContext *output, const AVFormatContext *input, unsigned index, const int *places)
{
    const AVStreamGroup *from = input->stream_groups[index];
    int is_element = from->type == AV_STREAM_GROUP_PARAMS_IAMF_AUDIO_ELEMENT;
    if (!is_element && from->type != AV_STREAM_GROUP_PARAMS_IAMF_MIX_PRESENTATION) return 0;
    for (unsigned i = 0; i < from->nb_streams; i++)
        if (places[from->streams[i]->index] < 0) return 0;
    AVStreamGroup *to = avformat_stream_group_create(output, from->type, 0);
    if (!to) return AVERROR(ENOMEM);
    to->id = from->id;
    to->disposition = from->disposition;
    int status = av_dict_copy(&to->metadata, from->metadata, 0);
    for (unsigned i = 0; i < from->nb_streams && status >= 0; i++)
        status = avformat_stream_group_add_stream(to, output->streams[places[from->streams[i]->index]]);
    if (status < 0) return status;
    return is_element
        ? cffmpeg_copy_element(to->params.iamf_audio_element, from->params.iamf_audio_element, from)
        : cffmpeg_copy_mix(to->params.iamf_mix_presentation, from->params.iamf_mix_presentation);
}

#else

static inline unsigned cffmpeg_group_count(const AVFormatContext *context) { return 0; }
static inline const char *cffmpeg_group_name(const AVFormatContext *context, unsigned index) { return 0; }
static inline int cffmpeg_is_grouped(const AVFormatContext *context, int stream) { return 0; }
static inline int cffmpeg_copy_group(
    AVFormatContext *output, const AVFormatContext *input, unsigned index, const int *places)
{
    return 0;
}

#endif
#endif
