/* One clock for all: processor time of the calling thread in seconds, which waiting for others does not add to. */
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define CALLS(COUNT, BODY)                        \
    {                                             \
        long i_, k = 0;                           \
        for (i_ = 0; i_ < (COUNT); ++i_) {        \
            BODY;                                 \
            k = k + 1 == peer->states ? 0 : k + 1; \
        }                                         \
        break;                                    \
    }
