#define _GNU_SOURCE  // dladdr
#include "FailureMessage.h"

#include <dlfcn.h>
#include <string.h>

static _Thread_local char message[1024];

void cflourish_set_message(const char *text) {
    size_t length = strlen(text);
    if (length >= sizeof message) {
        length = sizeof message - 1;
        // A cut never splits a character.
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
    }
    memcpy(message, text, length);
    message[length] = 0;
}

const char *cflourish_message(void) { return message; }

const char *cflourish_file(void) {
    Dl_info info;
    return dladdr((const void *)cflourish_file, &info) && info.dli_fname ? info.dli_fname : NULL;
}
