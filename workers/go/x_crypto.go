//go:build x_crypto

package main

import (
	"crypto/cipher"
	"hash"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/crypto/poly1305"
	"golang.org/x/crypto/twofish"
)

func blake2Hashes() []namedHash {
	return []namedHash{
		{"blake2b", func() hash.Hash { return must(blake2b.New512(nil)) }},
		{"blake2s", func() hash.Hash { return must(blake2s.New256(nil)) }},
	}
}

func xCryptoMacs() []mac {
	macs := []mac{
		keyedBlake2("blake2b", blake2b.Size, blake2b.New512),
		keyedBlake2("blake2s", blake2s.Size, blake2s.New256),
		oneTimePoly1305(),
		composition("chacha20-poly1305", "chacha20", chacha20poly1305.KeySize, chaCha20Poly1305),
	}
	for _, twofish := range []namedCipher{
		{"twofish-128", 16, newTwofish},
		{"twofish-192", 24, newTwofish},
		{"twofish-256", 32, newTwofish},
	} {
		name := "gcm-" + twofish.name
		macs = append(macs, composition(name, twofish.name, twofish.keyLen, gcm(twofish)))
	}
	return macs
}

func newTwofish(key []byte) (cipher.Block, error) {
	return twofish.NewCipher(key)
}

// keyedBlake2 has keys up to the length of its tag.
func keyedBlake2(name string, size int, keyed func(key []byte) (hash.Hash, error)) mac {
	prepared := func(key, _ []byte) tagger {
		h, tag := must(keyed(key)), make([]byte, size)
		return func(_, message []byte) []byte {
			h.Reset()
			h.Write(message)
			return h.Sum(tag[:0])
		}
	}
	newKey := func(_, _ []byte) tagger {
		tag := make([]byte, size)
		return func(key, message []byte) []byte {
			h := must(keyed(key))
			h.Write(message)
			return h.Sum(tag[:0])
		}
	}
	return mac{
		name:      name + "-keyed",
		primitive: name,
		keyLens:   [2]int{1, size},
		tagLen:    size,
		// Lengths other than the hash's own have functions of their own, not for all lengths.
		tagLenIsInput: true,
		calls:         []call{{"prepared", prepared}, {"new-key", newKey}},
	}
}

// oneTimePoly1305 has no prepared call: a key is for one message, and a context cannot be reset.
func oneTimePoly1305() mac {
	newKey := func(_, _ []byte) tagger {
		tag := make([]byte, poly1305.TagSize)
		return func(key, message []byte) []byte {
			h := poly1305.New((*[32]byte)(key))
			h.Write(message)
			return h.Sum(tag[:0])
		}
	}
	oneShot := func(_, _ []byte) tagger {
		tag := new([poly1305.TagSize]byte)
		return func(key, message []byte) []byte {
			poly1305.Sum(tag, message, (*[32]byte)(key))
			return tag[:]
		}
	}
	return mac{
		name:      "poly1305",
		primitive: "poly1305",
		keyLens:   [2]int{32, 32},
		tagLen:    poly1305.TagSize,
		calls:     []call{{"new-key", newKey}, {"one-shot", oneShot}},
	}
}

func chaCha20Poly1305(key []byte, nonceLen, tagLen int) (cipher.AEAD, error) {
	if nonceLen != chacha20poly1305.NonceSize || tagLen != aeadTagLen {
		return nil, errLengths
	}
	return chacha20poly1305.New(key)
}
