// Crypto++ has templates and virtual functions, and no C interface: this one is compiled against
// the headers and the library that the user has, when it is first needed. Each function here is
// one virtual call or a few, as a C++ program makes them; no exception leaves it.

#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1

#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/blake2.h>
#include <cryptopp/camellia.h>
#include <cryptopp/cbcmac.h>
#include <cryptopp/ccm.h>
#include <cryptopp/chachapoly.h>
#include <cryptopp/cmac.h>
#include <cryptopp/cpu.h>
#include <cryptopp/cryptlib.h>
#include <cryptopp/des.h>
#include <cryptopp/eax.h>
#include <cryptopp/gcm.h>
#include <cryptopp/hmac.h>
#include <cryptopp/md5.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/rc6.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/serpent.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/siphash.h>
#include <cryptopp/sm3.h>
#include <cryptopp/sm4.h>
#include <cryptopp/twofish.h>
#include <cryptopp/vmac.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

#if CRYPTOPP_VERSION < 820
#error "Crypto++ 8.2 or later is needed"
#endif

namespace {

using namespace CryptoPP;

typedef MessageAuthenticationCode Mac;
typedef AuthenticatedSymmetricCipher Aead;

thread_local char error_text[200];

// What went wrong last on this thread, cut to the length of its buffer.
void keep_error(const char *what) {
    std::strncpy(error_text, what, sizeof error_text - 1);
    error_text[sizeof error_text - 1] = 0;
}

// Runs a call that may throw; 0 when it did not.
template <class Call> int guarded(Call call) {
    try {
        call();
        return 0;
    } catch (const std::exception &e) {
        keep_error(e.what());
    } catch (...) {
        keep_error("an exception of an unknown type");
    }
    return -1;
}

template <class T> Mac *new_mac() { return new T; }
template <class T> Aead *new_aead() { return new T; }

// The code path as the object tells it.
template <class T> std::string path_of() { return T().AlgorithmProvider(); }

// Names of the catalog, without the key's length where one type takes several.
struct MacType {
    const char *name;
    Mac *(*make)();
    std::string (*path)();
};

// GCM of no message is GMAC: what a composition's Update takes is associated data. CBC_MAC does not
// tell its code path, its cipher does.
#define MAC(name, ...) {name, new_mac<__VA_ARGS__>, path_of<__VA_ARGS__>}
#define CHAINS(name, cipher)                                                                       \
    MAC("cmac-" name, CMAC<cipher>),                                                               \
    {"cbc-mac-" name, new_mac<CBC_MAC<cipher> >, path_of<cipher::Encryption>}

const MacType MACS[] = {
    MAC("blake2b-keyed", BLAKE2b),
    MAC("blake2s-keyed", BLAKE2s),
    CHAINS("aes", AES),
    MAC("cmac-aria", CMAC<ARIA>),
    MAC("cmac-camellia", CMAC<Camellia>),
    MAC("cmac-sm4", CMAC<SM4>),
    CHAINS("rc6", RC6),
    CHAINS("serpent", Serpent),
    CHAINS("tdes-2", DES_EDE2),
    CHAINS("tdes-3", DES_EDE3),
    CHAINS("twofish", Twofish),
    MAC("gmac-aes", GCM<AES>::Encryption),
    MAC("hmac-blake2b", HMAC<BLAKE2b>),
    MAC("hmac-blake2s", HMAC<BLAKE2s>),
    MAC("hmac-md5", HMAC<Weak::MD5>),
    MAC("hmac-ripemd160", HMAC<RIPEMD160>),
    MAC("hmac-sha1", HMAC<SHA1>),
    MAC("hmac-sha224", HMAC<SHA224>),
    MAC("hmac-sha256", HMAC<SHA256>),
    MAC("hmac-sha3-224", HMAC<SHA3_224>),
    MAC("hmac-sha3-256", HMAC<SHA3_256>),
    MAC("hmac-sha3-384", HMAC<SHA3_384>),
    MAC("hmac-sha3-512", HMAC<SHA3_512>),
    MAC("hmac-sha384", HMAC<SHA384>),
    MAC("hmac-sha512", HMAC<SHA512>),
    MAC("hmac-sm3", HMAC<SM3>),
    MAC("poly1305", Poly1305TLS),
    MAC("siphash-1-3", SipHash<1, 3, false>),
    MAC("siphash-1-3-128", SipHash<1, 3, true>),
    MAC("siphash-2-4", SipHash<2, 4, false>),
    MAC("siphash-2-4-128", SipHash<2, 4, true>),
    MAC("siphash-4-8", SipHash<4, 8, false>),
    MAC("siphash-4-8-128", SipHash<4, 8, true>),
    MAC("vmac64-aes", VMAC<AES, 64>),
    MAC("vmac128-aes", VMAC<AES, 128>),
};

struct AeadType {
    const char *name;
    Aead *(*make_sealer)();
    Aead *(*make_opener)();
    std::string (*path)();
};

#define AEAD(name, ...)                                                                            \
    {name, new_aead<__VA_ARGS__::Encryption>, new_aead<__VA_ARGS__::Decryption>,                   \
     path_of<__VA_ARGS__::Encryption>}
#define MODES(name, cipher)                                                                        \
    AEAD("ccm-" name, CCM<cipher>), AEAD("eax-" name, EAX<cipher>), AEAD("gcm-" name, GCM<cipher>)

const AeadType AEADS[] = {
    MODES("aes", AES),
    MODES("rc6", RC6),
    MODES("serpent", Serpent),
    MODES("twofish", Twofish),
    AEAD("eax-tdes-2", EAX<DES_EDE2>),
    AEAD("eax-tdes-3", EAX<DES_EDE3>),
    AEAD("chacha20-poly1305", ChaCha20Poly1305),
};

template <class T, std::size_t N> const T *find(const T (&types)[N], const char *name) {
    for (const T &type : types) {
        if (std::strcmp(type.name, name) == 0) {
            return &type;
        }
    }
    return nullptr;
}

} // namespace

extern "C" {

// Counts up with every change of a function below.
int mm_shim_version() { return 3; }

// Keeps the library from instructions that this CPU may have: bit 0 those for AES and carry-less
// multiplication, bit 1 those for SHA, bit 2 all other vectors, SSE2 too: every x86-64 has it, but
// what the library does with it is written in assembly. 0 when that holds. Objects look at these variables when they are made, when they get a key or in every
// call, so they are settled once, before the first object; another choice after that is -1, and so
// is any but none where there are no such variables.
int mm_without(unsigned what) {
    static std::mutex one_at_a_time;
    static bool is_settled = false;
    static unsigned settled = 0;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    if (is_settled) {
        return what == settled ? 0 : -1;
    }
#if CRYPTOPP_BOOL_X64
    // Usually done when the library was loaded; else it would be done later, over what is set here.
    DetectX86Features();
    if (what & 1) {
        g_hasAESNI = g_hasCLMUL = false;
    }
    if (what & 2) {
        g_hasSHA = false;
    }
    if (what & 4) {
        g_hasSSE2 = g_hasSSSE3 = g_hasSSE41 = g_hasSSE42 = g_hasMOVBE = false;
        g_hasAVX = g_hasAVX2 = g_hasADX = false;
    }
#else
    if (what != 0) {
        return -1;
    }
#endif
    is_settled = true;
    settled = what;
    return 0;
}

// That of the headers, 870 for 8.7.0. The library's own is LibraryVersion().
int mm_header_version() { return CRYPTOPP_VERSION; }

int mm_library_version() { return LibraryVersion(); }

const char *mm_error() { return error_text; }

// Writes the code path of a mac or a composition; -1 when there is no such type here.
int mm_path(const char *name, char *text, std::size_t size) {
    const MacType *mac = find(MACS, name);
    const AeadType *aead = find(AEADS, name);
    if ((!mac && !aead) || size == 0) {
        return -1;
    }
    return guarded([=] {
        const std::string path = mac ? mac->path() : aead->path();
        std::strncpy(text, path.c_str(), size - 1);
        text[size - 1] = 0;
    });
}

// A mac, to be freed by mm_mac_free; null when there is none of that name.
void *mm_mac_new(const char *name) {
    void *made = nullptr;
    keep_error("no such mac");
    const MacType *type = find(MACS, name);
    guarded([&] { made = type ? type->make() : nullptr; });
    return made;
}

void mm_mac_free(void *mac) { delete static_cast<Mac *>(mac); }

std::size_t mm_mac_tag_len(void *mac) { return static_cast<Mac *>(mac)->DigestSize(); }

// `nonce` is looked at by macs that take one.
int mm_mac_set_key(void *object, const std::uint8_t *key, std::size_t key_len,
                   const std::uint8_t *nonce, std::size_t nonce_len) {
    Mac *mac = static_cast<Mac *>(object);
    return guarded([=] {
        if (mac->IsResynchronizable()) {
            mac->SetKeyWithIV(key, key_len, nonce, nonce_len);
        } else {
            mac->SetKey(key, key_len);
        }
    });
}

// The tag of one message; the object is ready for the next one. A nonce that is null is the one
// that came with the key, and that only for the first message.
int mm_mac_tag(void *object, const std::uint8_t *nonce, std::size_t nonce_len,
               const std::uint8_t *message, std::size_t len, std::uint8_t *tag,
               std::size_t tag_len) {
    Mac *mac = static_cast<Mac *>(object);
    return guarded([=] {
        if (nonce) {
            mac->Resynchronize(nonce, static_cast<int>(nonce_len));
        }
        mac->Update(message, len);
        mac->TruncatedFinal(tag, tag_len);
    });
}

// A composition that seals, or one that opens what was sealed; freed by mm_aead_free.
void *mm_aead_new(const char *name, int opens) {
    void *made = nullptr;
    keep_error("no such composition");
    const AeadType *type = find(AEADS, name);
    guarded([&] { made = !type ? nullptr : opens ? type->make_opener() : type->make_sealer(); });
    return made;
}

void mm_aead_free(void *aead) { delete static_cast<Aead *>(aead); }

// The length of the tag goes into what CCM computes, and must be said with the key.
int mm_aead_set_key(void *object, const std::uint8_t *key, std::size_t key_len,
                    const std::uint8_t *nonce, std::size_t nonce_len, std::size_t tag_len) {
    Aead *aead = static_cast<Aead *>(object);
    return guarded([=] {
        if (aead->NeedsPrespecifiedDataLengths() && tag_len != 16) {
            aead->SetKey(key, key_len,
                         MakeParameters(Name::IV(), ConstByteArrayParameter(nonce, nonce_len))(
                             Name::DigestSize(), static_cast<int>(tag_len)));
        } else {
            aead->SetKeyWithIV(key, key_len, nonce, nonce_len);
        }
    });
}

// Seals one message. A nonce that is null is the one that came with the key, and that only for the
// first message: then it need not be set twice, as EncryptAndAuthenticate would.
int mm_aead_seal(void *object, const std::uint8_t *nonce, std::size_t nonce_len,
                 const std::uint8_t *data, std::size_t data_len, const std::uint8_t *message,
                 std::size_t len, std::uint8_t *ciphertext, std::uint8_t *tag,
                 std::size_t tag_len) {
    Aead *aead = static_cast<Aead *>(object);
    return guarded([=] {
        if (nonce) {
            aead->EncryptAndAuthenticate(ciphertext, tag, tag_len, nonce,
                                         static_cast<int>(nonce_len), data, data_len, message, len);
            return;
        }
        aead->SpecifyDataLengths(data_len, len);
        aead->Update(data, data_len);
        aead->ProcessString(ciphertext, message, len);
        aead->TruncatedFinal(tag, tag_len);
    });
}

// Opens one message, with the nonce that came with the key: 1 when it is genuine, 0 when it is not.
// DecryptAndVerify would set the nonce again, which EAX cannot bear.
int mm_aead_open(void *object, const std::uint8_t *data, std::size_t data_len,
                 const std::uint8_t *ciphertext, std::size_t len, std::uint8_t *message,
                 const std::uint8_t *tag, std::size_t tag_len) {
    Aead *aead = static_cast<Aead *>(object);
    bool genuine = false;
    int thrown = guarded([&] {
        aead->SpecifyDataLengths(data_len, len);
        aead->Update(data, data_len);
        aead->ProcessString(message, ciphertext, len);
        genuine = aead->TruncatedVerify(tag, tag_len);
    });
    return thrown ? thrown : genuine ? 1 : 0;
}

} // extern "C"
