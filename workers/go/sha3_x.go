//go:build !go1.24 && x_crypto

package main

import "golang.org/x/crypto/sha3"

// sha3Hashes are those of golang.org/x/crypto, where the standard library has none yet.
func sha3Hashes() []namedHash {
	return []namedHash{
		{"sha3-224", sha3.New224},
		{"sha3-256", sha3.New256},
		{"sha3-384", sha3.New384},
		{"sha3-512", sha3.New512},
	}
}
