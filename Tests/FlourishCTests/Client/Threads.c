// Calls from four threads: with one processor, and with one that another thread destroys.
#include "Client.h"

#include <pthread.h>

typedef struct {
    flourish_processor *processor;
    int number;
    int processed;
} Worker;

// The statuses that a correct call may have here.
static void allows(flourish_status status) {
    REQUIRE(
        status == FLOURISH_OK || status == FLOURISH_LATE_FRAME || status == FLOURISH_FINISHED ||
        status == FLOURISH_INVALID_ARGUMENT);
}

static void *work(void *argument) {
    Worker *worker = argument;
    flourish_processor *processor = worker->processor;
    Frame frame;
    frame_open(&frame, FLOURISH_I420, 96, 64, 0);
    for (int i = 0; i < 200; i++) {
        bool on;
        char *text = NULL;
        // The times of the threads overlap, so that some frames are late.
        flourish_status status = process(processor, &frame, (int64_t)(4 * i + worker->number) * 10000000, &on);
        allows(status);
        worker->processed += status == FLOURISH_OK;
        if (i % 10 == 0) allows(flourish_perform(processor, i % 20 ? "confetti" : "rain"));
        if (i % 35 == 0) allows(flourish_cancel(processor, NULL));
        if (i % 7 == 0) allows(flourish_set_switch(processor, FLOURISH_REACTIONS, i % 14 == 0));
        allows(flourish_get_switch(processor, FLOURISH_GESTURES, &on));
        allows(flourish_set_gesture(processor, "heart", i % 2));
        allows(flourish_next_event(processor, &text));
        flourish_free(text);
    }
    frame_close(&frame);
    return NULL;
}

static void run(bool destroys, const char *settings) {
    flourish_processor *processor = create(FLOURISH_I420, 96, 64, settings);
    pthread_t threads[4];
    Worker workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (Worker){processor, i, 0};
        REQUIRE(!pthread_create(&threads[i], NULL, work, &workers[i]));
    }
    if (destroys) flourish_destroy(processor);
    int processed = 0;
    for (int i = 0; i < 4; i++) {
        REQUIRE(!pthread_join(threads[i], NULL));
        processed += workers[i].processed;
    }
    REQUIRE(destroys || processed > 100);
    flourish_destroy(processor);
}

void check_threads(void) {
    run(false, WITHOUT_MODELS);
    run(false, "{\"processor\": {\"live\": true}}");
    for (int i = 0; i < 10; i++) run(true, WITHOUT_MODELS);
}
