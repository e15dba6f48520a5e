/* Answers cases of test vectors, one a line: what tag or ciphertext the library gives, and whether
 * it accepts the one of the case, by every way to a tag.
 *
 * In: KIND MAC KEY NONCE CUSTOMIZATION DATA UNIT LENGTH CIPHERTEXT TAG WHOLE, where the bytes are in
 * hexadecimal with `-` for none, UNIT is repeated up to LENGTH bytes, TAG is the beginning of a tag
 * of WHOLE bytes, and KIND is `mac` or, of compositions, `sealed`, or `opened` where sealing is not
 * asked for. Out: `accepted`, `mismatch`, or `refused` with the error's words. */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "macs.h"

typedef struct {
    uint8_t *at;
    size_t len;
} bytes;

enum { PIECE = 97, WHOLE_MAX = 64 };

static int digit(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    CHECK(letter >= 'a' && letter <= 'f');
    return letter - 'a' + 10;
}

static bytes decoded(const char *text) {
    bytes read = {NULL, 0};
    if (strcmp(text, "-") == 0) return read;
    read.len = strlen(text) / 2;
    read.at = malloc(read.len);
    CHECK(read.at != NULL);
    for (size_t i = 0; i < read.len; i++)
        read.at[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    return read;
}

static bytes repeated(const char *text, size_t len) {
    bytes unit = decoded(text), whole = {NULL, len};
    if (len > 0) {
        whole.at = malloc(len);
        CHECK(whole.at != NULL && unit.len > 0);
        for (size_t i = 0; i < len; i++) whole.at[i] = unit.at[i % unit.len];
    }
    free(unit.at);
    return whole;
}

static void refused(void) { printf("refused %s\n", macs_error_text()); }

static void streamed(const macs_key *key, bytes nonce, bytes message, bytes tag, const uint8_t *right,
                     size_t whole, int is_right) {
    macs_state *state, *copy = NULL;
    uint8_t given[WHOLE_MAX];
    CHECK(macs_state_new(key, &state) == MACS_OK);
    for (size_t at = 0; at < message.len; at += PIECE) {
        size_t len = message.len - at < PIECE ? message.len - at : PIECE;
        if (copy == NULL && at > message.len / 2) CHECK(macs_state_clone(state, &copy) == MACS_OK);
        CHECK(macs_state_update(state, message.at + at, len) == MACS_OK);
        if (copy != NULL) CHECK(macs_state_update(copy, message.at + at, len) == MACS_OK);
    }
    CHECK(macs_state_tag(state, nonce.at, nonce.len, given, whole) == MACS_OK);
    CHECK(memcmp(given, right, whole) == 0);
    if (copy != NULL) {
        macs_status status = macs_state_verify_truncated(copy, nonce.at, nonce.len, tag.at, tag.len);
        CHECK(status == (is_right ? MACS_OK : MACS_MISMATCH));
        macs_state_free(copy);
    }
    /* The state is as new; and pieces that are dropped leave nothing. */
    CHECK(macs_state_update(state, (const uint8_t *)"dropped", 7) == MACS_OK);
    CHECK(macs_state_reset(state) == MACS_OK);
    CHECK(macs_state_update(state, message.at, message.len) == MACS_OK);
    CHECK(macs_state_verify(state, nonce.at, nonce.len, right, whole) == MACS_OK);
    macs_state_free(state);
}

/* Three messages at once under two keys, which are the same. */
static void in_batch(const char *name, bytes key, bytes nonce, bytes message,
                     const macs_options *options, const uint8_t *right, size_t whole) {
    const uint8_t *keys[] = {key.at, key.at};
    size_t lens[] = {key.len, key.len};
    macs_job jobs[3];
    uint8_t tags[3 * WHOLE_MAX], are_right[3];
    macs_batch *batch;
    for (size_t i = 0; i < 3; i++) {
        macs_job job = {i % 2, nonce.at, nonce.len, message.at, message.len};
        jobs[i] = job;
    }
    CHECK(macs_batch_new(name, keys, lens, 2, options, &batch) == MACS_OK);
    CHECK(macs_batch_change(batch, 1, keys, lens, 1) == MACS_OK);
    CHECK(macs_batch_tags(batch, jobs, 3, tags, 3 * whole) == MACS_OK);
    for (size_t i = 0; i < 3; i++) CHECK(memcmp(tags + i * whole, right, whole) == 0);
    CHECK(macs_batch_verify(batch, jobs, 3, tags, 3 * whole, NULL) == MACS_OK);
    tags[whole] ^= 1;
    CHECK(macs_batch_verify(batch, jobs, 3, tags, 3 * whole, are_right) == MACS_MISMATCH);
    CHECK(are_right[0] == 1 && are_right[1] == 0 && are_right[2] == 1);
    macs_batch_free(batch);
}

/* Keys and messages that differ, before and after the second key alone is changed. */
static void different_keys(void) {
    static const uint8_t A[16] = "first key......", B[16] = "second key.....";
    static const uint8_t C[16] = "third key......";
    static const char *const TEXTS[3] = {"one", "a longer message than a block", ""};
    const char *name = "cmac-aes-128";
    const uint8_t *keys[] = {A, B}, *other[] = {C};
    size_t lens[] = {16, 16};
    macs_job jobs[3];
    uint8_t tags[3 * 16], right[16];
    macs_batch *batch;
    for (size_t i = 0; i < 3; i++) {
        macs_job job = {(i + 1) % 2, NULL, 0, (const uint8_t *)TEXTS[i], strlen(TEXTS[i])};
        jobs[i] = job;
    }
    CHECK(macs_batch_new(name, keys, lens, 2, NULL, &batch) == MACS_OK);
    for (int is_changed = 0; is_changed < 2; is_changed++) {
        if (is_changed) CHECK(macs_batch_change(batch, 1, other, lens, 1) == MACS_OK);
        CHECK(macs_batch_tags(batch, jobs, 3, tags, sizeof tags) == MACS_OK);
        for (size_t i = 0; i < 3; i++) {
            const uint8_t *key = jobs[i].key_index == 0 ? A : is_changed ? C : B;
            CHECK(macs_tag_once(name, key, 16, NULL, 0, jobs[i].message, jobs[i].message_len, right,
                                16) == MACS_OK);
            CHECK(memcmp(tags + 16 * i, right, 16) == 0);
        }
        CHECK(macs_batch_verify(batch, jobs, 3, tags, sizeof tags, NULL) == MACS_OK);
    }
    macs_batch_free(batch);
}

static void in_one_call(const char *name, bytes key, bytes nonce, bytes message,
                        const uint8_t *right, size_t whole) {
    uint8_t given[WHOLE_MAX];
    CHECK(macs_tag_once(name, key.at, key.len, nonce.at, nonce.len, message.at, message.len, given,
                        whole) == MACS_OK);
    CHECK(memcmp(given, right, whole) == 0);
    CHECK(macs_verify_once(name, key.at, key.len, nonce.at, nonce.len, message.at, message.len,
                           given, whole) == MACS_OK);
    given[whole - 1] ^= 0x80;
    CHECK(macs_verify_once(name, key.at, key.len, nonce.at, nonce.len, message.at, message.len,
                           given, whole) == MACS_MISMATCH);
}

static void mac(const char *name, bytes key, bytes nonce, bytes customization, bytes message,
                bytes tag, size_t whole) {
    macs_info info = {0};
    macs_options options = {0};
    macs_key *handle;
    uint8_t right[WHOLE_MAX];
    info.struct_size = sizeof info;
    options.struct_size = sizeof options;
    CHECK(macs_describe(name, &info) == MACS_OK && whole <= WHOLE_MAX);
    if (whole != info.tag_len) options.tag_len = whole;
    if (info.flags & MACS_ONE_NONCE_LEN) options.nonce_len = nonce.len;
    options.customization = customization.at;
    options.customization_len = customization.len;
    if (macs_key_new(name, key.at, key.len, &options, &handle) != MACS_OK) {
        CHECK(handle == NULL);
        refused();
        return;
    }
    CHECK(macs_key_tag_len(handle) == whole);
    if (macs_tag(handle, nonce.at, nonce.len, message.at, message.len, right, whole) != MACS_OK) {
        refused();
        macs_key_free(handle);
        return;
    }
    int is_right = memcmp(right, tag.at, tag.len) == 0;
    macs_status status = is_right ? MACS_OK : MACS_MISMATCH;
    CHECK(macs_verify_truncated(handle, nonce.at, nonce.len, message.at, message.len, tag.at,
                                tag.len) == status);
    if (tag.len == whole)
        CHECK(macs_verify(handle, nonce.at, nonce.len, message.at, message.len, tag.at, tag.len) ==
              status);
    CHECK(macs_key_change(handle, key.at, key.len) == MACS_OK);
    CHECK(macs_verify(handle, nonce.at, nonce.len, message.at, message.len, right, whole) == MACS_OK);
    streamed(handle, nonce, message, tag, right, whole, is_right);
    macs_key_free(handle);

    if (customization.len == 0 && whole == info.tag_len) {
        in_batch(name, key, nonce, message, options.nonce_len ? &options : NULL, right, whole);
        if (options.nonce_len == 0 || options.nonce_len == info.nonce_len)
            in_one_call(name, key, nonce, message, right, whole);
    }
    puts(is_right ? "accepted" : "mismatch");
}

static void sealed(const char *name, bytes key, bytes nonce, bytes data, bytes message,
                   bytes ciphertext, bytes tag, int is_sealed) {
    macs_options options = {0};
    macs_composition *handle;
    size_t opened_len;
    options.struct_size = sizeof options;
    options.tag_len = tag.len;
    options.flags = MACS_SHORT_TAG;
    if (macs_composition_new(name, key.at, key.len, &options, &handle) != MACS_OK) {
        CHECK(handle == NULL);
        refused();
        return;
    }
    CHECK(macs_composition_tag_len(handle) == tag.len);
    uint8_t *buffer = malloc(ciphertext.len + 1), *again = malloc(tag.len + 1);
    CHECK(buffer != NULL && again != NULL);
    if (ciphertext.len > 0) memcpy(buffer, ciphertext.at, ciphertext.len);
    macs_status status = macs_open(handle, nonce.at, nonce.len, data.at, data.len, buffer,
                                   ciphertext.len, tag.at, tag.len, &opened_len);
    int is_right = status == MACS_OK && opened_len == message.len &&
                   (message.len == 0 || memcmp(buffer, message.at, message.len) == 0);
    if (status != MACS_OK) {
        CHECK(opened_len == 0);
        for (size_t i = 0; i < ciphertext.len; i++) CHECK(buffer[i] == 0);
    }
    if (is_sealed) {
        CHECK(macs_composition_change(handle, key.at, key.len) == MACS_OK);
        CHECK(macs_ciphertext_len(handle, message.len) == ciphertext.len);
        if (message.len > 0) memcpy(buffer, message.at, message.len);
        CHECK(macs_seal(handle, nonce.at, nonce.len, data.at, data.len, buffer, ciphertext.len,
                        message.len, again, tag.len) == MACS_OK);
        CHECK(ciphertext.len == 0 || memcmp(buffer, ciphertext.at, ciphertext.len) == 0);
        CHECK(memcmp(again, tag.at, tag.len) == 0);
    }
    free(buffer);
    free(again);
    macs_composition_free(handle);
    if (status != MACS_OK && status != MACS_MISMATCH)
        refused();
    else
        puts(is_right ? "accepted" : "mismatch");
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    different_keys();
    while (getline(&line, &room, stdin) > 0) {
        char *field[11];
        size_t count = 0;
        for (char *rest = line; count < 11 && (field[count] = strtok(rest, " \n")); rest = NULL)
            count++;
        CHECK(count == 11);
        bytes key = decoded(field[2]), nonce = decoded(field[3]), custom = decoded(field[4]);
        bytes data = decoded(field[5]), message = repeated(field[6], strtoul(field[7], NULL, 10));
        bytes ciphertext = decoded(field[8]), tag = decoded(field[9]);
        if (strcmp(field[0], "mac") == 0)
            mac(field[1], key, nonce, custom, message, tag, strtoul(field[10], NULL, 10));
        else
            sealed(field[1], key, nonce, data, message, ciphertext, tag,
                   strcmp(field[0], "sealed") == 0);
        bytes all[] = {key, nonce, custom, data, message, ciphertext, tag};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i].at);
    }
    free(line);
    return 0;
}
