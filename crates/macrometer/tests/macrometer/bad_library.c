/* A libcrypto with a planted fault: all of it is the machine's own, which this is linked to, but
 * for one function, which goes wrong after AFTER calls, or at the tag of RFC 4231's third case of
 * HMAC-SHA-256 where AFTER is -1. FAULT is one of the words below. With STRICT it is no fault: keys
 * of less than 112 bits are refused, as a FIPS provider does, by all calls or by one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { crash, hang, lie };

#ifdef AT_LOAD
__attribute__((constructor)) static void load(void) { *(volatile int *)0 = 0; }
#endif

#ifdef STRICT
int EVP_MAC_init(void *context, const unsigned char *key, size_t len, const void *params)
{
    static int (*real)(void *, const unsigned char *, size_t, const void *);
    if (real == NULL)
        real = (int (*)(void *, const unsigned char *, size_t, const void *))
            dlsym(RTLD_NEXT, "EVP_MAC_init");
    return key != NULL && len < 14 ? 0 : real(context, key, len, params);
}
#endif

int EVP_MAC_final(void *context, unsigned char *out, size_t *written, size_t size)
{
    static int (*real)(void *, unsigned char *, size_t *, size_t);
    static long calls;
    if (real == NULL)
        real = (int (*)(void *, unsigned char *, size_t *, size_t))dlsym(RTLD_NEXT, "EVP_MAC_final");
    int done = real(context, out, written, size);
    if (AFTER < 0 ? memcmp(out, "\x77\x3e\xa9\x1e", 4) != 0 : ++calls <= AFTER)
        return done;
    switch (FAULT) {
    case crash: *(volatile int *)0 = 0; break;
    case hang: for (;;) pause();
    case lie: out[0] ^= 1;
    }
    return done;
}
