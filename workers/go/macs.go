package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"hash"
)

// table is every mac that this Go may have; hashes and macs of golang.org/x/crypto, and SHA-3, are
// in files of their own, for they are not always there.
func table() (macs []mac) {
	hashes := []namedHash{
		{"md5", md5.New},
		{"sha1", sha1.New},
		{"sha224", sha256.New224},
		{"sha256", sha256.New},
		{"sha384", sha512.New384},
		{"sha512", sha512.New},
		{"sha512-224", sha512.New512_224},
		{"sha512-256", sha512.New512_256},
	}
	for _, hash := range append(append(hashes, sha3Hashes()...), blake2Hashes()...) {
		macs = append(macs, hmacOver(hash))
	}
	for _, aes := range []namedCipher{
		{"aes-128", 16, aes.NewCipher},
		{"aes-192", 24, aes.NewCipher},
		{"aes-256", 32, aes.NewCipher},
	} {
		sealed := composition("gcm-"+aes.name, aes.name, aes.keyLen, gcm(aes))
		macs = append(macs, gmac(aes), sealed)
	}
	return append(append(macs, xCryptoMacs()...), empty)
}

// empty is what a call takes here at least: a function that computes nothing.
var empty = mac{
	name:      "null",
	primitive: "none",
	keyLens:   [2]int{0, lenMax},
	tagLen:    len(nullTag),
	calls: []call{{"prepared", func(_, _ []byte) tagger {
		return func(_, _ []byte) []byte { return nullTag }
	}}},
}

var nullTag = []byte("null tag")

// tagger makes one tag, which stands until the next call.
type tagger func(key, message []byte) []byte

// call is the way to a tag in one key life. What `open` does is done before the first one.
type call struct {
	keyLife string
	open    func(key, nonce []byte) tagger
}

// keyed is GCM and its like, for nonces and tags of these lengths.
type keyed func(key []byte, nonceLen, tagLen int) (cipher.AEAD, error)

// mac is a mac or a composition.
type mac struct {
	name string
	// primitive is what a code path is chosen for: a hash, a cipher.
	primitive string
	kernel    string
	// The least and the most bytes of a key.
	keyLens [2]int
	tagLen  int
	// tagLenIsInput is set where a shorter tag is not the beginning of a longer one.
	tagLenIsInput bool
	// nonceLen is that of timed messages; 0 where no nonce is taken.
	nonceLen      int
	isComposition bool
	calls         []call
	// aead is there for compositions.
	aead keyed
}

func (m *mac) checkKey(key []byte) {
	if least, most := m.keyLens[0], m.keyLens[1]; len(key) < least || len(key) > most {
		refuse("a key of %d bytes; %s takes %d to %d", len(key), m.name, least, most)
	}
}

func (m *mac) call(keyLife string) call {
	for _, call := range m.calls {
		if call.keyLife == keyLife {
			return call
		}
	}
	refuse("no %.40s %s here", keyLife, m.name)
	return call{}
}

type namedHash struct {
	name string
	make func() hash.Hash
}

func hmacOver(hash namedHash) mac {
	tagLen := hash.make().Size()
	prepared := func(key, _ []byte) tagger {
		h, tag := hmac.New(hash.make, key), make([]byte, tagLen)
		return func(_, message []byte) []byte {
			h.Reset()
			h.Write(message)
			return h.Sum(tag[:0])
		}
	}
	newKey := func(_, _ []byte) tagger {
		tag := make([]byte, tagLen)
		return func(key, message []byte) []byte {
			h := hmac.New(hash.make, key)
			h.Write(message)
			return h.Sum(tag[:0])
		}
	}
	return mac{
		name:      "hmac-" + hash.name,
		primitive: hash.name,
		keyLens:   [2]int{0, lenMax},
		tagLen:    tagLen,
		calls:     []call{{"prepared", prepared}, {"new-key", newKey}},
	}
}

type namedCipher struct {
	name   string
	keyLen int
	make   func(key []byte) (cipher.Block, error)
}

// Lengths of GCM and ChaCha20-Poly1305 in timed messages.
const (
	aeadNonceLen = 12
	aeadTagLen   = 16
)

var errLengths = errors.New("nonce or tag of a length that this Go does not take")

// gcm takes any nonce with the full tag, and tags of 12 to 16 bytes with the usual nonce.
func gcm(block namedCipher) keyed {
	return func(key []byte, nonceLen, tagLen int) (cipher.AEAD, error) {
		keyed, err := block.make(key)
		switch {
		case err != nil:
			return nil, err
		case nonceLen == aeadNonceLen && tagLen == aeadTagLen:
			return cipher.NewGCM(keyed)
		case nonceLen == aeadNonceLen:
			return cipher.NewGCMWithTagSize(keyed, tagLen)
		case tagLen == aeadTagLen:
			return cipher.NewGCMWithNonceSize(keyed, nonceLen)
		}
		return nil, errLengths
	}
}

// gmac is GCM of no message, with the message as associated data.
func gmac(block namedCipher) mac {
	aead := gcm(block)
	prepared := func(key, nonce []byte) tagger {
		aead, tag := must(aead(key, len(nonce), aeadTagLen)), make([]byte, aeadTagLen)
		return func(_, message []byte) []byte { return aead.Seal(tag[:0], nonce, nil, message) }
	}
	newKey := func(_, nonce []byte) tagger {
		tag := make([]byte, aeadTagLen)
		return func(key, message []byte) []byte {
			return must(aead(key, len(nonce), aeadTagLen)).Seal(tag[:0], nonce, nil, message)
		}
	}
	return mac{
		name:      "gmac-" + block.name,
		primitive: block.name,
		keyLens:   [2]int{block.keyLen, block.keyLen},
		tagLen:    aeadTagLen,
		nonceLen:  aeadNonceLen,
		calls:     []call{{"prepared", prepared}, {"new-key", newKey}},
	}
}

// composition seals into a buffer that is kept; its timed tag is the end of what is sealed.
func composition(name, primitive string, keyLen int, aead keyed) mac {
	prepared := func(key, nonce []byte) tagger {
		aead, sealed := must(aead(key, len(nonce), aeadTagLen)), []byte{}
		return func(_, message []byte) []byte {
			sealed = aead.Seal(sealed[:0], nonce, message, nil)
			return sealed[len(message):]
		}
	}
	newKey := func(_, nonce []byte) tagger {
		sealed := []byte{}
		return func(key, message []byte) []byte {
			aead := must(aead(key, len(nonce), aeadTagLen))
			sealed = aead.Seal(sealed[:0], nonce, message, nil)
			return sealed[len(message):]
		}
	}
	return mac{
		name:          name,
		primitive:     primitive,
		keyLens:       [2]int{keyLen, keyLen},
		tagLen:        aeadTagLen,
		nonceLen:      aeadNonceLen,
		isComposition: true,
		calls:         []call{{"prepared", prepared}, {"new-key", newKey}},
		aead:          aead,
	}
}
