// Reactions, switches and events.
#include "Client.h"

#include <string.h>

static const int64_t step = 100000000;

void check_control(void) {
    flourish_processor *processor = create(FLOURISH_I420, 160, 90, WITHOUT_MODELS);
    Frame frame;
    frame_open(&frame, FLOURISH_I420, 160, 90, 0);
    char *names;
    REQUIRE(!flourish_reactions(processor, &names));
    REQUIRE(names[0] == '[' && strstr(names, "\"confetti\"") && strstr(names, "\"thumbsUp\""));
    flourish_free(names);

    const flourish_setting *setting, *hold = NULL, *palette = NULL;
    for (int32_t i = 0; (setting = flourish_setting_at(i)); i++) {
        REQUIRE(setting->table[0] && setting->name[0] && setting->help[0] && setting->unit);
        if (!strcmp(setting->name, "hold")) hold = setting;
        if (!strcmp(setting->name, "palette")) palette = setting;
    }
    REQUIRE(hold && !strcmp(hold->table, "recognition") && hold->type == FLOURISH_NUMBER && !hold->choices);
    REQUIRE(hold->minimum == 0 && hold->maximum == 10 && hold->number == 1 && !strcmp(hold->unit, "s"));
    REQUIRE(palette && palette->type == FLOURISH_STRING && !palette->text && !strcmp(palette->choices[0], "classic"));
    REQUIRE(!flourish_setting_at(-1) && !flourish_setting_at(1000));

    bool drawn, on = false;
    int64_t time = 0;
    REQUIRE(!process(processor, &frame, time, &drawn) && !drawn);
    REQUIRE(count_events(processor, "\"event\":\"streamStarted\"") == 1);

    // One effect by its number, another by its name.
    REQUIRE(!flourish_perform_at(processor, "confetti", 0.25, 0.75) && !flourish_perform(processor, "rain"));
    REQUIRE(!process(processor, &frame, time += step, &drawn) && drawn);
    REQUIRE(count_events(processor, "\"event\":\"effectStarted\"") == 2);
    REQUIRE(!flourish_cancel_effect(processor, 1));
    REQUIRE(!process(processor, &frame, time += step, &drawn) && drawn);
    REQUIRE(count_events(processor, "\"event\":\"effectEnded\"") == 1);
    REQUIRE(!flourish_cancel(processor, "rain"));
    REQUIRE(!process(processor, &frame, time += step, &drawn) && !drawn);
    REQUIRE(count_events(processor, "\"event\":\"effectEnded\"") == 1);

    // A cancelled request is not shown.
    REQUIRE(!flourish_perform(processor, "heart") && !flourish_cancel(processor, NULL));
    REQUIRE(!process(processor, &frame, time += step, &drawn) && !drawn);

    // While reactions are off, requests do nothing.
    REQUIRE(!flourish_set_switch(processor, FLOURISH_REACTIONS, false));
    REQUIRE(!flourish_get_switch(processor, FLOURISH_REACTIONS, &on) && !on);
    REQUIRE(!flourish_perform(processor, "heart"));
    REQUIRE(!process(processor, &frame, time += step, &drawn) && !drawn);
    REQUIRE(!flourish_set_switch(processor, FLOURISH_REACTIONS, true));
    REQUIRE(!flourish_get_switch(processor, FLOURISH_REACTIONS, &on) && on);
    REQUIRE(!flourish_get_switch(processor, FLOURISH_GESTURES, &on) && !on);
    REQUIRE(!flourish_set_switch(processor, FLOURISH_GESTURES, false));
    REQUIRE(!flourish_set_gesture(processor, "victory", false) && !flourish_set_gesture(processor, "victory", true));
    REQUIRE(!flourish_snooze(processor, 1000000000) && !flourish_snooze(processor, 0));
    REQUIRE(count_events(processor, "") == 0);

    // Events that were not read are kept until the processor is destroyed.
    REQUIRE(!flourish_perform(processor, "thumbsUp"));
    REQUIRE(!process(processor, &frame, time += step, &drawn) && drawn);
    REQUIRE(!flourish_finish(processor));
    REQUIRE(count_events(processor, "\"event\":\"streamEnded\"") == 1);
    flourish_destroy(processor);
    frame_close(&frame);
}
