/* A libcrypto of which one function takes longer: all of it is the machine's own, which this is
 * linked to, but for EVP_MAC_final, which counts to BURN first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int EVP_MAC_final(void *context, unsigned char *out, size_t *written, size_t size)
{
    static int (*real)(void *, unsigned char *, size_t *, size_t);
    if (real == NULL)
        real = (int (*)(void *, unsigned char *, size_t *, size_t))dlsym(RTLD_NEXT, "EVP_MAC_final");
    for (long at = 0; at < BURN; at++)
        __asm__ volatile("" : "+r"(at));
    return real(context, out, written, size);
}
