/*
 * macs: message authentication codes by name, streamed, and in batches.
 *
 * Every function checks its pointers: a null pointer where there must be memory is MACS_NULL. What
 * it cannot check, the caller must see to: a pointer that is not null points to as many bytes as the
 * length beside it says, and a handle is one that was made here and not yet freed. Until a call
 * returns, nobody writes what it reads, and nobody reads or writes what it writes. A pointer to 0
 * bytes may be null.
 *
 * Threads: a const object may be shared by any number of threads; any other is for one thread at a
 * time.
 *
 * No function unwinds or ends the process: a defect of the library is MACS_PANIC, and what went wrong
 * is on standard error. Only memory that cannot be had ends the process.
 *
 * This file is made by cbindgen; do not edit it.
 */


#ifndef MACS_H
#define MACS_H

#include <stddef.h>
#include <stdint.h>

// Version of the library that this header is of.
#define MACS_VERSION "0.1.0"
#define MACS_VERSION_MAJOR 0
#define MACS_VERSION_MINOR 1
#define MACS_VERSION_PATCH 0
// To be compared: 0x00MMmmpp.
#define MACS_VERSION_NUMBER 0x000100

// Version of the binary interface: that of the header. It is the number in the library's name,
// `libmacs.so.0`, and changes when a program has to be compiled again.
#define MACS_ABI_VERSION 0

// In `flags`: tags of a composition may be so short that they are not to be taken without a
// thought, 4 and 8 bytes of GCM (SP 800-38D, appendix C).
#define MACS_SHORT_TAG 1

// In `flags` of `macs_info`: it also encrypts, and is used by `macs_composition_new`, `macs_seal`
// and `macs_open`.
#define MACS_IS_COMPOSITION 1

// In `flags` of `macs_info`: it takes a customization string.
#define MACS_IS_CUSTOMIZABLE 2

// In `flags` of `macs_info`: a key takes nonces of one length only; see `nonce_len` of
// `macs_options`.
#define MACS_ONE_NONCE_LEN 4

// In `flags` of `macs_info`: a key is for one message; a second tag lets others forge.
#define MACS_ONE_TIME_KEY 8

// How a call ended. Whatever is not `MACS_OK` has written no tag and made no handle (`out` becomes
// null), and the handles that there are can be used as before. Beside that it has done nothing,
// except that `macs_open`, `macs_batch_verify` and `macs_batch_tags` (where VMAC refuses a nonce)
// set to zeros what they would have written, and that a tag that was checked, right or not, ends
// the message of its state.
typedef enum macs_status {
    // It was done; of a check: the tag is right.
    MACS_OK = 0,
    // The tag does not belong to this message, nonce and key. Nothing may be done with the
    // message.
    MACS_MISMATCH = 1,
    // The catalog has no mac of this name; `macs_error_text` tells similar ones.
    MACS_UNKNOWN_NAME = 2,
    // The name is that of a composition, which also encrypts, or that of a mac, which does not.
    MACS_WRONG_KIND = 3,
    // A key of a length that the mac does not take, or of a composition with two keys: equal ones.
    MACS_BAD_KEY = 4,
    // A nonce of a length that the mac does not take; none, where it needs one; one, where it
    // takes none; or one that VMAC refuses: its first bit must be 0.
    MACS_BAD_NONCE = 5,
    // A tag, or a place for it, of another length than the key's tags have.
    MACS_BAD_TAG_LEN = 6,
    // A message or ciphertext of a length that the mac does not take.
    MACS_BAD_MESSAGE_LEN = 7,
    // Associated data of a length that the composition does not take.
    MACS_BAD_DATA_LEN = 8,
    // `struct_size` was not set, or an option is not known here or not to be had with this mac.
    MACS_BAD_OPTION = 9,
    // A job, or a change of keys, names a key that the batch does not have.
    MACS_BAD_INDEX = 10,
    // A pointer is null that must not be, or a length cannot be one of memory.
    MACS_NULL = 11,
    // Memory that is written overlaps other memory of the same call.
    MACS_OVERLAP = 12,
    // Refused for another reason, which `macs_error_text` tells.
    MACS_REFUSED = 13,
    // A defect of the library. The handles of the call must not be used again, but can be freed.
    MACS_PANIC = 14,
} macs_status;

// Keys of one mac, all set up. As long as nobody changes it, any number of threads may use it at
// once, without a lock.
typedef struct macs_batch macs_batch;

// A composition, which encrypts and authenticates, with a key that is set up. As long as nobody
// changes it, any number of threads may use it at once, without a lock.
typedef struct macs_composition macs_composition;

// A mac with a key that is set up. As long as nobody changes it, any number of threads may use it
// at once, without a lock.
typedef struct macs_key macs_key;

// A message under way, with a copy of its key. It is for one thread at a time.
typedef struct macs_state macs_state;

// What is known of a mac. Lengths are in bytes; not every length between the least and the most
// need be taken. Texts are never freed.
typedef struct macs_info {
    // `sizeof(macs_info)`, to be set before the call.
    size_t struct_size;
    // The name that other functions take: `hmac-sha256`.
    const char *name;
    // The name in print: `HMAC-SHA-256`.
    const char *title;
    // How far to rely on it: `sound`, `conditional`, `legacy` or `broken`.
    const char *standing;
    // The code path that runs on this processor: `soft`, `aes-ni`, `sha-ni`, ...
    const char *kernel;
    // The usual length of a tag.
    size_t tag_len;
    // The least that can be asked for with `tag_len` of `macs_options`.
    size_t tag_len_min;
    // The most.
    size_t tag_len_max;
    // The usual length of a key.
    size_t key_len;
    // The least that it takes.
    size_t key_len_min;
    // The most; `SIZE_MAX`: there is no limit.
    size_t key_len_max;
    // The usual length of a nonce; 0: it takes none.
    size_t nonce_len;
    // The least that it takes.
    size_t nonce_len_min;
    // The most; `SIZE_MAX`: there is no limit.
    size_t nonce_len_max;
    // The longest message that its specification allows.
    uint64_t message_len_max;
    // `MACS_IS_COMPOSITION`, `MACS_IS_CUSTOMIZABLE`, `MACS_ONE_NONCE_LEN`, `MACS_ONE_TIME_KEY`, or
    // several.
    uint32_t flags;
    // 0.
    uint32_t reserved;
} macs_info;

// What can be said about a key beside its bytes. What is zero is as usual:
// `macs_options options = {.struct_size = sizeof options};` says nothing.
typedef struct macs_options {
    // `sizeof(macs_options)`.
    size_t struct_size;
    // Length of the tags in bytes, where it can be chosen (KMAC, BLAKE2, compositions); 0: the
    // usual one. To use the first bytes of a tag only is another thing: see
    // `macs_verify_truncated`.
    size_t tag_len;
    // Length of all nonces in bytes, for VMAC and UMAC, to which nonces of two lengths can be the
    // same; 0: 8 bytes of those, any that the mac takes of others.
    size_t nonce_len;
    // The customization string of KMAC (SP 800-185), which may be null where there is none.
    const uint8_t *customization;
    // Its length in bytes.
    size_t customization_len;
    // `MACS_SHORT_TAG`, or 0.
    uint32_t flags;
    // 0.
    uint32_t reserved;
} macs_options;

// One message of many.
typedef struct macs_job {
    // Which of the batch's keys, counted from 0.
    size_t key_index;
    // The nonce; null for a mac that takes none.
    const uint8_t *nonce;
    // Its length in bytes; 0 for a mac that takes none.
    size_t nonce_len;
    // The message.
    const uint8_t *message;
    // Its length in bytes.
    size_t message_len;
} macs_job;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of the binary interface that the library has: `MACS_ABI_VERSION` of its own header.
uint32_t macs_abi_version(void);

// Version of the library: `MACS_VERSION` of its own header. The text is never freed.
const char *macs_version(void);

// What a status means, in a few words. The text is never freed.
const char *macs_status_text(int status);

// What the last call of this thread that failed had to say: what was given, and what would have
// been right; empty if none has failed. Valid until another call of this thread fails.
const char *macs_error_text(void);

// The name of the mac or composition of this number, in alphabetical order from 0 on; null behind
// the last. The text is never freed.
const char *macs_name(size_t index);

// Fills `info` with what is known of the mac of this name.
enum macs_status macs_describe(const char *name,
                               struct macs_info *info);

// Sets up a key of `key_len` bytes for the mac of this name. `options` may be null. The key is
// copied; what is made of it is wiped when it is freed.
enum macs_status macs_key_new(const char *name,
                              const uint8_t *key,
                              size_t key_len,
                              const struct macs_options *options,
                              struct macs_key **out);

// Sets up another key in its place, without the heap. Options stay.
enum macs_status macs_key_change(struct macs_key *handle,
                                 const uint8_t *key,
                                 size_t key_len);

// Length in bytes of the tags under this key; 0 for a null pointer.
size_t macs_key_tag_len(const struct macs_key *handle);

// Wipes the key and frees it. Nothing happens to a null pointer.
void macs_key_free(struct macs_key *handle);

// The tag of one message, without the heap. `tag_len` must be `macs_key_tag_len`. The nonce is for
// macs that take one, never the same twice under one key; for others it is null and 0.
enum macs_status macs_tag(const struct macs_key *handle,
                          const uint8_t *nonce,
                          size_t nonce_len,
                          const uint8_t *message,
                          size_t message_len,
                          uint8_t *tag,
                          size_t tag_len);

// Checks the tag of one message in constant time and without the heap: `MACS_OK`, or
// `MACS_MISMATCH`.
enum macs_status macs_verify(const struct macs_key *handle,
                             const uint8_t *nonce,
                             size_t nonce_len,
                             const uint8_t *message,
                             size_t message_len,
                             const uint8_t *tag,
                             size_t tag_len);

// As `macs_verify`, for a tag that was cut to its first `tag_len` bytes, at least one. How short
// it may be is for the protocol to say: a tag of n bits is guessed once in 2^n times.
enum macs_status macs_verify_truncated(const struct macs_key *handle,
                                       const uint8_t *nonce,
                                       size_t nonce_len,
                                       const uint8_t *message,
                                       size_t message_len,
                                       const uint8_t *tag,
                                       size_t tag_len);

// The tag of one message under a key that is used once, without the heap and without a handle.
enum macs_status macs_tag_once(const char *name,
                               const uint8_t *key,
                               size_t key_len,
                               const uint8_t *nonce,
                               size_t nonce_len,
                               const uint8_t *message,
                               size_t message_len,
                               uint8_t *tag,
                               size_t tag_len);

// Checks the tag of one message under a key that is used once, in constant time and without the
// heap: `MACS_OK`, or `MACS_MISMATCH`.
enum macs_status macs_verify_once(const char *name,
                                  const uint8_t *key,
                                  size_t key_len,
                                  const uint8_t *nonce,
                                  size_t nonce_len,
                                  const uint8_t *message,
                                  size_t message_len,
                                  const uint8_t *tag,
                                  size_t tag_len);

// Begins a message. The key is copied, and may be freed before the state.
enum macs_status macs_state_new(const struct macs_key *key,
                                struct macs_state **out);

// A second state that has taken what this one has, for messages that begin alike.
enum macs_status macs_state_clone(const struct macs_state *state,
                                  struct macs_state **out);

// Takes the next piece of the message.
enum macs_status macs_state_update(struct macs_state *state,
                                   const uint8_t *data,
                                   size_t data_len);

// The tag of the pieces taken; then the state is ready for another message under the same key, but
// not of a mac with `MACS_ONE_TIME_KEY`: free it. `tag_len` must be `macs_key_tag_len` of the key.
// The nonce as of `macs_tag`.
enum macs_status macs_state_tag(struct macs_state *state,
                                const uint8_t *nonce,
                                size_t nonce_len,
                                uint8_t *tag,
                                size_t tag_len);

// Checks the tag of the pieces taken, in constant time; then the state is ready for another
// message under the same key, whatever the outcome: after an error, too, the pieces are dropped.
enum macs_status macs_state_verify(struct macs_state *state,
                                   const uint8_t *nonce,
                                   size_t nonce_len,
                                   const uint8_t *tag,
                                   size_t tag_len);

// As `macs_state_verify`, for a tag that was cut to its first `tag_len` bytes: see
// `macs_verify_truncated`.
enum macs_status macs_state_verify_truncated(struct macs_state *state,
                                             const uint8_t *nonce,
                                             size_t nonce_len,
                                             const uint8_t *tag,
                                             size_t tag_len);

// Drops the pieces taken; the key stays.
enum macs_status macs_state_reset(struct macs_state *state);

// Wipes the state and frees it. Nothing happens to a null pointer.
void macs_state_free(struct macs_state *state);

// Sets up `count` keys for the mac of this name: `keys[i]` has `key_lens[i]` bytes. `options` may
// be null; a tag of another length or a customization string is not to be had here.
enum macs_status macs_batch_new(const char *name,
                                const uint8_t *const *keys,
                                const size_t *key_lens,
                                size_t count,
                                const struct macs_options *options,
                                struct macs_batch **out);

// Sets up other keys in the place of those from number `first` on.
enum macs_status macs_batch_change(struct macs_batch *batch,
                                   size_t first,
                                   const uint8_t *const *keys,
                                   const size_t *key_lens,
                                   size_t count);

// Wipes the keys and frees them. Nothing happens to a null pointer.
void macs_batch_free(struct macs_batch *batch);

// The tags of `count` messages, one behind the other in the order of the jobs: `tags_len` must be
// `count` times the length of a tag (`tag_len` of `macs_describe`). If any job is refused, no tag
// is written.
enum macs_status macs_batch_tags(const struct macs_batch *batch,
                                 const struct macs_job *jobs,
                                 size_t count,
                                 uint8_t *tags,
                                 size_t tags_len);

// Checks the tags of `count` messages, each in constant time: `MACS_OK` if all are right,
// `MACS_MISMATCH` if any is not. Unless it is null, `are_right` has a place for each, which is set
// to 1 or 0, and to 0 if anything is refused; but for memory that overlaps.
enum macs_status macs_batch_verify(const struct macs_batch *batch,
                                   const struct macs_job *jobs,
                                   size_t count,
                                   const uint8_t *tags,
                                   size_t tags_len,
                                   uint8_t *are_right);

// Sets up a key of `key_len` bytes for the composition of this name. `options` may be null.
enum macs_status macs_composition_new(const char *name,
                                      const uint8_t *key,
                                      size_t key_len,
                                      const struct macs_options *options,
                                      struct macs_composition **out);

// Sets up another key in its place. Options stay.
enum macs_status macs_composition_change(struct macs_composition *handle,
                                         const uint8_t *key,
                                         size_t key_len);

// Wipes the key and frees it. Nothing happens to a null pointer.
void macs_composition_free(struct macs_composition *handle);

// Length in bytes of the tags under this key; 0 for a null pointer.
size_t macs_composition_tag_len(const struct macs_composition *handle);

// Length in bytes of the ciphertext of a message, without its tag: that of the message, except for
// CBC, which fills up the last block. 0 for a null pointer, or where there is no such message.
size_t macs_ciphertext_len(const struct macs_composition *handle,
                           size_t message_len);

// Encrypts the first `message_len` bytes of `buffer` in place, and authenticates them, the nonce
// and the associated data. `buffer_len` must be `macs_ciphertext_len`, `tag_len`
// `macs_composition_tag_len`. The nonce must never be the same twice under one key. Data that
// there is none of may be null.
enum macs_status macs_seal(const struct macs_composition *handle,
                           const uint8_t *nonce,
                           size_t nonce_len,
                           const uint8_t *data,
                           size_t data_len,
                           uint8_t *buffer,
                           size_t buffer_len,
                           size_t message_len,
                           uint8_t *tag,
                           size_t tag_len);

// Checks the tag in constant time, and decrypts the ciphertext in `buffer` in place. `message_len`
// becomes the length of the message, which begins where the buffer begins. If anything is refused,
// the buffer is all zeros and `message_len` 0; but for a pointer that is null, a length that
// cannot be one of memory, and memory that overlaps. Until it returns, the buffer may hold
// plaintext that is not verified: no other thread or process may see it.
enum macs_status macs_open(const struct macs_composition *handle,
                           const uint8_t *nonce,
                           size_t nonce_len,
                           const uint8_t *data,
                           size_t data_len,
                           uint8_t *buffer,
                           size_t buffer_len,
                           const uint8_t *tag,
                           size_t tag_len,
                           size_t *message_len);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MACS_H */
