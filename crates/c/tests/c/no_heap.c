/* Takes the place of malloc and its like for the whole process. A tag and its check allocate and
 * free nothing; and no block that is freed still holds a part of a key. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef __GLIBC__
int main(void) {
    puts("skipped: only with glibc, whose malloc has a second name");
    return 77;
}
#else

#include <errno.h>
#include <malloc.h>

#include "check.h"
#include "macs.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

enum { WINDOW = 8, KEY_MAX = 256 };

static size_t calls;
static const uint8_t *watched;
static size_t watched_len, left_behind;

static void look(void *block) {
    if (block == NULL || watched == NULL) return;
    size_t len = malloc_usable_size(block);
    for (size_t at = 0; at + WINDOW <= watched_len; at++)
        if (memmem(block, len, watched + at, WINDOW) != NULL) left_behind++;
}

void *malloc(size_t len) {
    calls++;
    return __libc_malloc(len);
}

void *calloc(size_t count, size_t len) {
    calls++;
    return __libc_calloc(count, len);
}

void *realloc(void *block, size_t len) {
    calls++;
    look(block);
    return __libc_realloc(block, len);
}

void free(void *block) {
    if (block != NULL) calls++;
    look(block);
    __libc_free(block);
}

void *memalign(size_t alignment, size_t len) {
    calls++;
    return __libc_memalign(alignment, len);
}

void *aligned_alloc(size_t alignment, size_t len) { return memalign(alignment, len); }

int posix_memalign(void **out, size_t alignment, size_t len) {
    *out = memalign(alignment, len);
    return *out == NULL ? ENOMEM : 0;
}

static uint8_t message[20000], tag[64], other[64], key[KEY_MAX], nonce[64];
static const size_t LENGTHS[] = {0, 1, 64, 1000, sizeof message};

static void tags(const macs_info *info) {
    macs_key *handle;
    const uint8_t *no_nonce = info->nonce_len ? nonce : NULL;
    size_t before = calls;
    CHECK(macs_key_new(info->name, key, info->key_len, NULL, &handle) == MACS_OK);
    /* It would see them. */
    CHECK(calls > before);
    before = calls;
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        size_t len = LENGTHS[i];
        CHECK(macs_tag(handle, no_nonce, info->nonce_len, message, len, tag, info->tag_len) ==
              MACS_OK);
        CHECK(macs_verify(handle, no_nonce, info->nonce_len, message, len, tag, info->tag_len) ==
              MACS_OK);
        tag[0] ^= 1;
        CHECK(macs_verify(handle, no_nonce, info->nonce_len, message, len, tag, info->tag_len) ==
              MACS_MISMATCH);
        CHECK(macs_verify_truncated(handle, no_nonce, info->nonce_len, message, len, tag, 1) ==
              MACS_MISMATCH);
        tag[0] ^= 1;
        CHECK(macs_tag_once(info->name, key, info->key_len, no_nonce, info->nonce_len, message, len,
                            other, info->tag_len) == MACS_OK);
        CHECK(memcmp(tag, other, info->tag_len) == 0);
        CHECK(macs_verify_once(info->name, key, info->key_len, no_nonce, info->nonce_len, message,
                               len, tag, info->tag_len) == MACS_OK);
        CHECK(macs_key_change(handle, key, info->key_len) == MACS_OK);
    }
    if (calls != before) {
        fprintf(stderr, "%s: %zu calls of the heap\n", info->name, calls - before);
        exit(1);
    }
    macs_state *state;
    CHECK(macs_state_new(handle, &state) == MACS_OK);
    CHECK(macs_state_update(state, message, 100) == MACS_OK);
    macs_key_free(handle);
    macs_state_free(state);

    const uint8_t *keys[] = {key, key, key};
    size_t lens[] = {info->key_len, info->key_len, info->key_len};
    macs_batch *batch;
    CHECK(macs_batch_new(info->name, keys, lens, 3, NULL, &batch) == MACS_OK);
    macs_batch_free(batch);
}

static void sealed(const macs_info *info) {
    macs_composition *handle;
    CHECK(macs_composition_new(info->name, key, info->key_len, NULL, &handle) == MACS_OK);
    size_t len = macs_ciphertext_len(handle, 100);
    CHECK(macs_seal(handle, nonce, info->nonce_len, NULL, 0, message, len, 100, tag,
                    info->tag_len) == MACS_OK);
    macs_composition_free(handle);
}

int main(void) {
    for (size_t i = 0; i < KEY_MAX; i++) key[i] = (uint8_t)(167 * i + (i >> 4) + 13);
    macs_info info = {.struct_size = sizeof info};
    CHECK(macs_describe("hmac-sha256", &info) == MACS_OK);
    watched = key;
    /* It would see a part of a key. */
    watched_len = KEY_MAX;
    uint8_t *volatile block = malloc(100);
    CHECK(block != NULL);
    memcpy(block + 50, key + 20, WINDOW);
    free(block);
    CHECK(left_behind == 1);
    left_behind = 0;

    size_t count = 0;
    for (const char *name; (name = macs_name(count)) != NULL; count++) {
        CHECK(macs_describe(name, &info) == MACS_OK && info.key_len <= KEY_MAX);
        CHECK(info.nonce_len <= sizeof nonce);
        watched_len = info.key_len;
        if (info.flags & MACS_IS_COMPOSITION)
            sealed(&info);
        else
            tags(&info);
        if (left_behind > 0) {
            fprintf(stderr, "%s: freed memory holds %zu parts of the key\n", name, left_behind);
            return 1;
        }
    }
    watched = NULL;
    printf("%zu macs and compositions\n", count);
    return 0;
}
#endif
