//go:build go1.24

package main

import (
	"crypto/sha3"
	"hash"
)

// sha3Hashes are the standard library's.
func sha3Hashes() []namedHash {
	return []namedHash{
		{"sha3-224", func() hash.Hash { return sha3.New224() }},
		{"sha3-256", func() hash.Hash { return sha3.New256() }},
		{"sha3-384", func() hash.Hash { return sha3.New384() }},
		{"sha3-512", func() hash.Hash { return sha3.New512() }},
	}
}
