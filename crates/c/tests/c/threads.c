/* Threads share a key and a batch, and each has a state of its own. */
#include <pthread.h>
#include <string.h>

#include "check.h"
#include "macs.h"

enum { THREADS = 8, ROUNDS = 300, LEN = 777, TAG = 16 };

static uint8_t message[LEN], right[TAG];
static const macs_key *shared;
static const macs_batch *batch;

static void *work(void *argument) {
    (void)argument;
    uint8_t tag[TAG], tags[4 * TAG];
    macs_job jobs[4];
    macs_state *state;
    for (size_t i = 0; i < 4; i++) jobs[i] = (macs_job){i % 2, NULL, 0, message, LEN};
    CHECK(macs_state_new(shared, &state) == MACS_OK);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(macs_tag(shared, NULL, 0, message, LEN, tag, TAG) == MACS_OK);
        CHECK(memcmp(tag, right, TAG) == 0);
        CHECK(macs_verify(shared, NULL, 0, message, LEN - 1, tag, TAG) == MACS_MISMATCH);
        CHECK(macs_state_update(state, message, 100) == MACS_OK);
        CHECK(macs_state_update(state, message + 100, LEN - 100) == MACS_OK);
        CHECK(macs_state_verify(state, NULL, 0, right, TAG) == MACS_OK);
        CHECK(macs_batch_tags(batch, jobs, 4, tags, sizeof tags) == MACS_OK);
        for (int i = 0; i < 4; i++) CHECK(memcmp(tags + i * TAG, right, TAG) == 0);
        /* An error's words are those of the thread. */
        CHECK(macs_tag(shared, NULL, 0, message, LEN, tag, TAG - 1) == MACS_BAD_TAG_LEN);
        CHECK(strstr(macs_error_text(), "not of 15 bytes") != NULL);
    }
    macs_state_free(state);
    return NULL;
}

int main(void) {
    static const uint8_t KEY[16] = "sixteen bytes...";
    const uint8_t *keys[] = {KEY, KEY};
    size_t lens[] = {16, 16};
    pthread_t threads[THREADS];
    macs_key *key;
    macs_batch *made;
    for (size_t i = 0; i < LEN; i++) message[i] = (uint8_t)i;
    CHECK(macs_key_new("cmac-aes-128", KEY, 16, NULL, &key) == MACS_OK);
    CHECK(macs_batch_new("cmac-aes-128", keys, lens, 2, NULL, &made) == MACS_OK);
    CHECK(macs_tag(key, NULL, 0, message, LEN, right, TAG) == MACS_OK);
    shared = key;
    batch = made;
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    macs_key_free(key);
    macs_batch_free(made);
    puts("the same tags in all threads");
    return 0;
}
