#include "Client.h"

#include <string.h>

int main(int count, char **words) {
    static const struct {
        const char *name;
        void (*check)(void);
    } checks[] = {
        {"arguments", check_arguments}, {"frames", check_frames}, {"control", check_control}, {"host", check_host},
        {"leaks", check_leaks}, {"overlay", check_overlay}, {"pairs", check_pairs}, {"threads", check_threads},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (count == 2 && !strcmp(words[1], checks[i].name)) {
            checks[i].check();
            return 0;
        }
    fprintf(stderr, "usage: %s CHECK\n", words[0]);
    return 64;
}
