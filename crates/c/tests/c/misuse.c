/* What must be refused is, with a status, and leaves everything as it was. */
#include <limits.h>
#include <string.h>

#include "check.h"
#include "macs.h"

static const uint8_t KEY[32] = "thirty-two bytes that are a key";
static const uint8_t MESSAGE[] = "a message";

enum { TAG = 32, LEN = sizeof MESSAGE - 1 };

static int is_said(const char *words) { return strstr(macs_error_text(), words) != NULL; }

static macs_key *new_key(const char *name, size_t key_len, const macs_options *options) {
    macs_key *key;
    CHECK(macs_key_new(name, KEY, key_len, options, &key) == MACS_OK);
    return key;
}

static void about_the_library(void) {
    CHECK(macs_abi_version() == MACS_ABI_VERSION);
    CHECK(strcmp(macs_version(), MACS_VERSION) == 0);
    CHECK(MACS_VERSION_NUMBER ==
          (MACS_VERSION_MAJOR << 16 | MACS_VERSION_MINOR << 8 | MACS_VERSION_PATCH));
    CHECK(strcmp(macs_error_text(), "") == 0);
    CHECK(strcmp(macs_status_text(MACS_OK), "done") == 0);
    CHECK(strcmp(macs_status_text(-7), "not a status") == 0);
    size_t count = 0;
    for (const char *name; (name = macs_name(count)) != NULL; count++) {
        macs_info info = {.struct_size = sizeof info};
        CHECK(macs_describe(name, &info) == MACS_OK);
        CHECK(strcmp(info.name, name) == 0 && info.title[0] && info.standing[0] && info.kernel[0]);
        CHECK(info.tag_len_min <= info.tag_len && info.tag_len <= info.tag_len_max);
        CHECK(info.key_len_min <= info.key_len && info.key_len <= info.key_len_max);
        CHECK(info.nonce_len_min <= info.nonce_len && info.nonce_len <= info.nonce_len_max);
        CHECK(!(info.flags & MACS_ONE_TIME_KEY) == (strcmp(name, "poly1305") != 0));
    }
    CHECK(count > 100 && macs_name(count + 1) == NULL && macs_name(SIZE_MAX) == NULL);
}

static void names(void) {
    macs_key *key = (macs_key *)KEY;
    macs_composition *composition;
    CHECK(macs_key_new("hmac-sha-256", KEY, 32, NULL, &key) == MACS_UNKNOWN_NAME);
    CHECK(key == NULL && is_said("did you mean hmac-sha256"));
    CHECK(macs_key_new("\xff\xfe", KEY, 32, NULL, &key) == MACS_UNKNOWN_NAME);
    CHECK(macs_key_new("", KEY, 32, NULL, &key) == MACS_UNKNOWN_NAME);
    CHECK(macs_key_new(NULL, KEY, 32, NULL, &key) == MACS_NULL && is_said("`name`"));
    CHECK(macs_key_new("gcm-aes-128", KEY, 16, NULL, &key) == MACS_WRONG_KIND);
    CHECK(macs_composition_new("hmac-sha256", KEY, 16, NULL, &composition) == MACS_WRONG_KIND);
    CHECK(composition == NULL);
}

static void keys(void) {
    macs_key *key;
    CHECK(macs_key_new("cmac-aes-128", KEY, 17, NULL, &key) == MACS_BAD_KEY);
    CHECK(is_said("cmac-aes-128 takes a key of 16 bytes, not of 17 bytes"));
    CHECK(macs_key_new("cmac-aes-128", NULL, 16, NULL, &key) == MACS_NULL && is_said("`key`"));
    CHECK(macs_key_new("cmac-aes-128", KEY, SIZE_MAX, NULL, &key) == MACS_NULL);
    CHECK(macs_key_new("cmac-aes-128", KEY, 16, NULL, NULL) == MACS_NULL && is_said("`out`"));
    macs_key_free(NULL);
    macs_state_free(NULL);
    macs_batch_free(NULL);
    macs_composition_free(NULL);

    key = new_key("cmac-aes-128", 16, NULL);
    uint8_t before[16], after[16];
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, before, 16) == MACS_OK);
    CHECK(macs_key_change(key, KEY, 15) == MACS_BAD_KEY);
    CHECK(macs_key_change(key, NULL, 16) == MACS_NULL);
    CHECK(macs_key_change(NULL, KEY, 16) == MACS_NULL);
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, after, 16) == MACS_OK);
    CHECK(memcmp(before, after, 16) == 0);
    CHECK(macs_key_tag_len(key) == 16 && macs_key_tag_len(NULL) == 0);
    macs_key_free(key);
}

static void options(void) {
    struct {
        macs_options known;
        uint8_t later[8];
    } longer = {{.struct_size = sizeof longer, .tag_len = 20}, {0}};
    macs_options given = {.struct_size = sizeof given};
    macs_key *key = new_key("kmac128", 16, &longer.known);
    CHECK(macs_key_tag_len(key) == 20);
    macs_key_free(key);
    longer.later[7] = 1;
    CHECK(macs_key_new("kmac128", KEY, 16, &longer.known, &key) == MACS_BAD_OPTION && key == NULL);
    given.struct_size = 0;
    CHECK(macs_key_new("kmac128", KEY, 16, &given, &key) == MACS_BAD_OPTION);
    CHECK(is_said("`struct_size` of `options` is 0"));
    given.struct_size = SIZE_MAX;
    CHECK(macs_key_new("kmac128", KEY, 16, &given, &key) == MACS_BAD_OPTION);
    given = (macs_options){.struct_size = sizeof given, .flags = 1u << 31};
    CHECK(macs_key_new("kmac128", KEY, 16, &given, &key) == MACS_BAD_OPTION);
    given = (macs_options){.struct_size = sizeof given, .flags = MACS_SHORT_TAG};
    CHECK(macs_key_new("kmac128", KEY, 16, &given, &key) == MACS_BAD_OPTION);
    given = (macs_options){.struct_size = sizeof given, .customization_len = 3};
    CHECK(macs_key_new("kmac128", KEY, 16, &given, &key) == MACS_NULL);
    given.customization = KEY;
    CHECK(macs_key_new("hmac-sha256", KEY, 16, &given, &key) == MACS_BAD_OPTION);
    given = (macs_options){.struct_size = sizeof given, .tag_len = 20};
    CHECK(macs_key_new("hmac-sha256", KEY, 16, &given, &key) == MACS_BAD_TAG_LEN);
    given = (macs_options){.struct_size = sizeof given, .nonce_len = 8};
    CHECK(macs_key_new("hmac-sha256", KEY, 16, &given, &key) == MACS_BAD_NONCE);

    macs_info info = {.struct_size = 8};
    CHECK(macs_describe("hmac-sha256", &info) == MACS_BAD_OPTION);
    CHECK(macs_describe("hmac-sha256", NULL) == MACS_NULL);
    struct {
        macs_info known;
        uint8_t later[8];
    } more;
    memset(&more, 0xff, sizeof more);
    more.known.struct_size = sizeof more;
    CHECK(macs_describe("hmac-sha256", &more.known) == MACS_OK);
    CHECK(more.known.struct_size == sizeof more && more.known.tag_len == TAG && !more.later[7]);
}

static void tags(void) {
    macs_key *key = new_key("hmac-sha256", 32, NULL);
    uint8_t tag[TAG], untouched[TAG] = {0}, buffer[64] = {0};
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, tag, TAG) == MACS_OK);
    CHECK(macs_tag(NULL, NULL, 0, MESSAGE, LEN, untouched, TAG) == MACS_NULL);
    CHECK(macs_tag(key, NULL, 0, NULL, LEN, untouched, TAG) == MACS_NULL && is_said("`message`"));
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, NULL, TAG) == MACS_NULL && is_said("`tag`"));
    CHECK(macs_tag(key, NULL, 1, MESSAGE, LEN, untouched, TAG) == MACS_NULL && is_said("`nonce`"));
    CHECK(macs_tag(key, KEY, 12, MESSAGE, LEN, untouched, TAG) == MACS_BAD_NONCE);
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, untouched, TAG - 1) == MACS_BAD_TAG_LEN);
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, NULL, 0) == MACS_BAD_TAG_LEN);
    CHECK(macs_tag(key, NULL, 0, MESSAGE, SIZE_MAX, untouched, TAG) == MACS_NULL);
    CHECK(macs_tag(key, NULL, 0, MESSAGE, (size_t)PTRDIFF_MAX + 1, untouched, TAG) == MACS_NULL);
    for (int i = 0; i < TAG; i++) CHECK(untouched[i] == 0);
    CHECK(macs_tag(key, NULL, 0, buffer, 33, buffer + 32, TAG) == MACS_OVERLAP);
    CHECK(is_said("`tag` is written and overlaps `message`"));
    CHECK(macs_tag(key, NULL, 0, buffer + 31, 33, buffer, TAG) == MACS_OVERLAP);
    CHECK(macs_tag(key, NULL, 0, buffer, 32, buffer + 32, TAG) == MACS_OK);
    CHECK(macs_tag(key, NULL, 0, NULL, 0, buffer, TAG) == MACS_OK);

    CHECK(macs_verify(key, NULL, 0, MESSAGE, LEN, tag, TAG) == MACS_OK);
    CHECK(macs_verify(key, NULL, 0, MESSAGE, LEN, tag, TAG - 1) == MACS_BAD_TAG_LEN);
    CHECK(macs_verify(key, NULL, 0, MESSAGE, LEN, NULL, TAG) == MACS_NULL);
    CHECK(macs_verify_truncated(key, NULL, 0, MESSAGE, LEN, tag, 16) == MACS_OK);
    CHECK(macs_verify_truncated(key, NULL, 0, MESSAGE, LEN, tag, 0) == MACS_BAD_TAG_LEN);
    CHECK(macs_verify_truncated(key, NULL, 0, MESSAGE, LEN, tag, TAG + 1) == MACS_BAD_TAG_LEN);
    CHECK(macs_verify_truncated(NULL, NULL, 0, MESSAGE, LEN, tag, 16) == MACS_NULL);
    for (int bit = 0; bit < 8 * TAG; bit++) {
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(macs_verify(key, NULL, 0, MESSAGE, LEN, tag, TAG) == MACS_MISMATCH);
        CHECK(macs_verify_truncated(key, NULL, 0, MESSAGE, LEN, tag, TAG) == MACS_MISMATCH);
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    macs_key_free(key);

    key = new_key("gmac-aes-128", 16, NULL);
    CHECK(macs_tag(key, NULL, 0, MESSAGE, LEN, tag, 16) == MACS_BAD_NONCE);
    CHECK(macs_tag(key, tag, 12, MESSAGE, LEN, tag, 16) == MACS_OVERLAP);
    macs_key_free(key);
    CHECK(macs_tag_once("hmac-sha256", NULL, 1, NULL, 0, MESSAGE, LEN, tag, TAG) == MACS_NULL);
    CHECK(macs_tag_once(NULL, KEY, 16, NULL, 0, MESSAGE, LEN, tag, TAG) == MACS_NULL);
    CHECK(macs_tag_once("cmac-aes-128", KEY, 16, NULL, 0, MESSAGE, LEN, tag, TAG) ==
          MACS_BAD_TAG_LEN);
    CHECK(macs_verify_once("hmac-sha1", KEY, 16, NULL, 0, MESSAGE, LEN, tag, TAG) ==
          MACS_BAD_TAG_LEN);
}

static void states(void) {
    macs_key *key = new_key("umac-64", 16, NULL);
    macs_state *state, *none = (macs_state *)KEY;
    uint8_t tag[8], again[8], nonce[8] = {1};
    CHECK(macs_state_new(NULL, &none) == MACS_NULL && none == NULL);
    CHECK(macs_state_new(key, NULL) == MACS_NULL);
    CHECK(macs_state_clone(NULL, &none) == MACS_NULL);
    CHECK(macs_state_new(key, &state) == MACS_OK);
    macs_key_free(key);
    CHECK(macs_state_update(NULL, MESSAGE, LEN) == MACS_NULL);
    CHECK(macs_state_update(state, NULL, LEN) == MACS_NULL);
    CHECK(macs_state_update(state, NULL, 0) == MACS_OK);
    CHECK(macs_state_update(state, MESSAGE, LEN) == MACS_OK);
    /* Refused, and the message is still there. */
    CHECK(macs_state_tag(state, NULL, 0, tag, 8) == MACS_BAD_NONCE);
    CHECK(macs_state_tag(state, nonce, 7, tag, 8) == MACS_BAD_NONCE);
    CHECK(macs_state_tag(state, nonce, 8, tag, 7) == MACS_BAD_TAG_LEN);
    CHECK(macs_state_tag(state, nonce, 8, nonce, 8) == MACS_OVERLAP);
    CHECK(macs_state_tag(NULL, nonce, 8, tag, 8) == MACS_NULL);
    CHECK(macs_state_verify(NULL, nonce, 8, tag, 8) == MACS_NULL);
    /* A refused tag ends its message: what follows is another one. */
    CHECK(macs_state_verify_truncated(state, nonce, 8, tag, 9) == MACS_BAD_TAG_LEN);
    CHECK(macs_state_update(state, MESSAGE, LEN) == MACS_OK);
    CHECK(macs_state_reset(NULL) == MACS_NULL);
    CHECK(macs_state_tag(state, nonce, 8, tag, 8) == MACS_OK);
    CHECK(macs_tag_once("umac-64", KEY, 16, nonce, 8, MESSAGE, LEN, again, 8) == MACS_OK);
    CHECK(memcmp(tag, again, 8) == 0);
    macs_state_free(state);
}

/* What is refused is no reason to believe the answers of an earlier call. */
static void answers(const macs_batch *batch, const macs_job *right, const uint8_t *tags) {
    uint8_t are_right[2], place[2 * sizeof(macs_job)] = {0};
    for (int i = 0; i < 10; i++) {
        macs_job jobs[2] = {right[0], right[1]};
        const macs_batch *given = batch;
        const macs_job *read = jobs;
        macs_status expected = MACS_NULL;
        memset(are_right, 1, sizeof are_right);
        if (i == 0) jobs[1].key_index = 2, expected = MACS_BAD_INDEX;
        if (i == 1) jobs[0].key_index = SIZE_MAX, expected = MACS_BAD_INDEX;
        if (i == 2) jobs[1].message = NULL, jobs[1].message_len = 1;
        if (i == 3) jobs[0].nonce_len = 1;
        if (i == 4) jobs[0].message_len = SIZE_MAX;
        if (i == 5) jobs[1].nonce = KEY, jobs[1].nonce_len = 1, expected = MACS_BAD_NONCE;
        if (i == 6) given = NULL;
        if (i == 7) read = NULL;
        if (i == 8) read = (const macs_job *)(place + 1);
        CHECK(macs_batch_verify(given, read, 2, i == 9 ? NULL : tags, 2 * TAG, are_right) ==
              expected);
        CHECK(are_right[0] == 0 && are_right[1] == 0);
    }
    /* But memory that overlaps stays as it was, also behind a job that is refused. */
    macs_job jobs[2] = {{2, NULL, 0, NULL, 0}, {1, NULL, 0, are_right, 2}};
    memset(are_right, 1, sizeof are_right);
    CHECK(macs_batch_verify(batch, jobs, 2, tags, 2 * TAG, are_right) == MACS_OVERLAP);
    CHECK(are_right[0] == 1 && are_right[1] == 1);
    CHECK(macs_batch_verify(batch, jobs, 2, tags, 2 * TAG, (uint8_t *)&jobs[1]) == MACS_OVERLAP);
    CHECK(jobs[1].key_index == 1);
}

static void batches(void) {
    const uint8_t *keys[] = {KEY, KEY};
    size_t lens[] = {16, 32};
    macs_job jobs[] = {{0, NULL, 0, MESSAGE, LEN}, {1, NULL, 0, NULL, 0}};
    uint8_t tags[2 * TAG] = {0}, are_right[2] = {7, 7};
    macs_batch *batch;
    macs_options options = {.struct_size = sizeof options, .tag_len = 20};
    CHECK(macs_batch_new("hmac-sha256", NULL, lens, 2, NULL, &batch) == MACS_NULL);
    CHECK(macs_batch_new("hmac-sha256", keys, NULL, 2, NULL, &batch) == MACS_NULL);
    CHECK(macs_batch_new("hmac-sha256", keys, lens, SIZE_MAX, NULL, &batch) == MACS_NULL);
    CHECK(macs_batch_new("kmac128", keys, lens, 2, &options, &batch) == MACS_BAD_OPTION);
    CHECK(macs_batch_new("cmac-aes-128", keys, lens, 2, NULL, &batch) == MACS_BAD_KEY);
    CHECK(batch == NULL);
    CHECK(macs_batch_new("hmac-sha256", NULL, NULL, 0, NULL, &batch) == MACS_OK);
    CHECK(macs_batch_tags(batch, jobs, 1, tags, TAG) == MACS_BAD_INDEX);
    macs_batch_free(batch);
    CHECK(macs_batch_new("hmac-sha256", keys, lens, 2, NULL, &batch) == MACS_OK);
    CHECK(macs_batch_tags(batch, jobs, 2, tags, SIZE_MAX) == MACS_OVERLAP);
    CHECK(macs_batch_tags(batch, NULL, 0, tags, SIZE_MAX) == MACS_NULL);
    CHECK(macs_batch_tags(batch, NULL, 0, NULL, 0) == MACS_OK);
    CHECK(macs_batch_tags(NULL, jobs, 2, tags, sizeof tags) == MACS_NULL);
    CHECK(macs_batch_tags(batch, NULL, 2, tags, sizeof tags) == MACS_NULL);
    CHECK(macs_batch_tags(batch, (const macs_job *)((const char *)jobs + 1), 1, tags, TAG) ==
          MACS_NULL);
    CHECK(macs_batch_tags(batch, jobs, 2, NULL, sizeof tags) == MACS_NULL);
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags - 1) == MACS_BAD_TAG_LEN);
    CHECK(macs_batch_tags(batch, jobs, SIZE_MAX / sizeof *jobs, tags, TAG) == MACS_NULL);
    jobs[1].message_len = 3;
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags) == MACS_NULL);
    jobs[1].message = tags + sizeof tags - 1;
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags) == MACS_OVERLAP);
    jobs[1] = (macs_job){2, NULL, 0, NULL, 0};
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags) == MACS_BAD_INDEX);
    CHECK(is_said("job 1: key 2 of 2"));
    for (size_t i = 0; i < sizeof tags; i++) CHECK(tags[i] == 0);
    jobs[1].key_index = 1;
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags) == MACS_OK);
    CHECK(macs_batch_verify(batch, jobs, 2, tags, sizeof tags, are_right) == MACS_OK);
    CHECK(are_right[0] == 1 && are_right[1] == 1);
    CHECK(macs_batch_verify(batch, jobs, 2, tags, sizeof tags, tags) == MACS_OVERLAP);
    CHECK(macs_batch_verify(batch, jobs, 2, tags, TAG, are_right) == MACS_BAD_TAG_LEN);
    CHECK(are_right[0] == 0 && are_right[1] == 0);
    CHECK(is_said("`tags_len` is 32: 2 tags of hmac-sha256 have 64 bytes"));
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags - 1) == MACS_BAD_TAG_LEN);
    CHECK(is_said("`tags_len` is 63: 2 tags of hmac-sha256 have 64 bytes"));
    answers(batch, jobs, tags);
    CHECK(macs_batch_change(batch, 1, keys, lens, 2) == MACS_BAD_INDEX);
    CHECK(macs_batch_change(batch, SIZE_MAX, keys, lens, 2) == MACS_BAD_INDEX);
    CHECK(macs_batch_change(batch, 2, NULL, NULL, 0) == MACS_OK);
    CHECK(macs_batch_change(NULL, 0, keys, lens, 1) == MACS_NULL);
    macs_batch_free(batch);
}

/* Of a nonce of 16 bytes VMAC needs the first bit to be 0. */
static void refused_nonces(void) {
    const uint8_t *keys[] = {KEY};
    size_t lens[] = {16};
    uint8_t nonces[2][16] = {{0}, {0x80}}, tags[2 * 8];
    macs_job jobs[] = {{0, nonces[0], 16, MESSAGE, LEN}, {0, nonces[1], 16, MESSAGE, LEN}};
    macs_options given = {.struct_size = sizeof given, .nonce_len = 16};
    macs_batch *batch;
    macs_key *key = new_key("vmac64-aes-128", 16, &given);
    memset(tags, 7, sizeof tags);
    CHECK(macs_tag(key, nonces[1], 16, MESSAGE, LEN, tags, 8) == MACS_BAD_NONCE);
    CHECK(is_said("its first bit must be 0") && tags[0] == 7);
    macs_key_free(key);
    CHECK(macs_batch_new("vmac64-aes-128", keys, lens, 1, &given, &batch) == MACS_OK);
    CHECK(macs_batch_tags(batch, jobs, 2, tags, sizeof tags) == MACS_BAD_NONCE);
    for (size_t i = 0; i < sizeof tags; i++) CHECK(tags[i] == 0);
    macs_batch_free(batch);
}

static void compositions(void) {
    macs_composition *handle;
    macs_options options = {.struct_size = sizeof options, .tag_len = 8};
    uint8_t buffer[32] = "a secret message", tag[16], nonce[12] = {0};
    size_t len = 7;
    CHECK(macs_composition_new("gcm-aes-128", KEY, 16, &options, &handle) == MACS_BAD_TAG_LEN);
    options.flags = MACS_SHORT_TAG;
    CHECK(macs_composition_new("gcm-aes-128", KEY, 16, &options, &handle) == MACS_OK);
    CHECK(macs_composition_tag_len(handle) == 8 && macs_composition_tag_len(NULL) == 0);
    macs_composition_free(handle);
    options = (macs_options){.struct_size = sizeof options, .nonce_len = 12};
    CHECK(macs_composition_new("gcm-aes-128", KEY, 16, &options, &handle) == MACS_BAD_OPTION);
    CHECK(macs_composition_new("gcm-aes-128", KEY, 16, NULL, &handle) == MACS_OK);
    CHECK(macs_ciphertext_len(handle, 16) == 16 && macs_ciphertext_len(NULL, 16) == 0);
    CHECK(macs_ciphertext_len(handle, SIZE_MAX) == 0);
    CHECK(macs_seal(handle, nonce, 12, NULL, 0, buffer, 16, 17, tag, 16) == MACS_BAD_MESSAGE_LEN);
    CHECK(macs_seal(handle, nonce, 12, NULL, 0, buffer, 32, 16, tag, 16) == MACS_BAD_MESSAGE_LEN);
    CHECK(macs_seal(handle, nonce, 12, NULL, 0, buffer, 16, SIZE_MAX, tag, 16) ==
          MACS_BAD_MESSAGE_LEN);
    CHECK(macs_seal(handle, nonce, 12, NULL, 0, buffer, 16, 16, buffer + 8, 16) == MACS_OVERLAP);
    CHECK(macs_seal(handle, buffer, 12, NULL, 0, buffer, 16, 16, tag, 16) == MACS_OVERLAP);
    CHECK(macs_seal(handle, nonce, 12, NULL, 1, buffer, 16, 16, tag, 16) == MACS_NULL);
    CHECK(macs_seal(NULL, nonce, 12, NULL, 0, buffer, 16, 16, tag, 16) == MACS_NULL);
    CHECK(macs_seal(handle, nonce, 0, NULL, 0, buffer, 16, 16, tag, 16) == MACS_BAD_NONCE);
    CHECK(memcmp(buffer, "a secret message", 16) == 0);
    CHECK(macs_seal(handle, nonce, 12, KEY, 5, buffer, 16, 16, tag, 16) == MACS_OK);
    CHECK(macs_open(handle, nonce, 12, KEY, 5, buffer, 16, tag, 16, NULL) == MACS_NULL);
    CHECK(macs_open(handle, nonce, 12, KEY, 5, buffer, 16, tag, 16, &len) == MACS_OK && len == 16);
    CHECK(memcmp(buffer, "a secret message", 16) == 0);
    CHECK(macs_open(handle, nonce, 12, KEY, 5, buffer, 16, tag, 15, &len) == MACS_BAD_TAG_LEN);
    for (int i = 0; i < 16; i++) CHECK(buffer[i] == 0);
    CHECK(len == 0);

    size_t words[4] = {1, 2, 3, 4};
    CHECK(macs_open(handle, nonce, 12, KEY, 5, (uint8_t *)words, sizeof words, tag, 16,
                    &words[1]) == MACS_OVERLAP);
    CHECK(is_said("`message_len` is written and overlaps `buffer`"));
    CHECK(macs_open(handle, nonce, 12, (uint8_t *)words, sizeof words, buffer, 16, tag, 16,
                    &words[3]) == MACS_OVERLAP);
    CHECK(macs_open(handle, nonce, 12, NULL, 0, buffer, 16, (uint8_t *)words, 16, words) ==
          MACS_OVERLAP);
    CHECK(macs_open(handle, (uint8_t *)words, 12, NULL, 0, buffer, 16, tag, 16, &words[1]) ==
          MACS_OVERLAP);
    for (size_t i = 0; i < 4; i++) CHECK(words[i] == i + 1);
    memset(buffer, 7, sizeof buffer);
    CHECK(macs_open(handle, nonce, 12, KEY, 5, buffer, SIZE_MAX, tag, 16, &len) == MACS_NULL);
    CHECK(macs_open(handle, nonce, 12, NULL, 5, buffer, 16, tag, 16, &len) == MACS_NULL);
    for (int i = 0; i < 16; i++) CHECK(buffer[i] == 7);
    CHECK(macs_open(NULL, nonce, 12, NULL, 0, buffer, 16, tag, 16, &words[0]) == MACS_NULL);
    CHECK(words[0] == 0);
    macs_composition_free(handle);
}

int main(void) {
    about_the_library();
    names();
    keys();
    options();
    tags();
    states();
    batches();
    refused_nonces();
    compositions();
    puts("refused as it must be");
    return 0;
}
