package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// cpu is what Go sees in the CPU, by the names that it has in GODEBUG.
type cpu map[string]bool

// cpuOf reads `aes,avx,…`, and takes away what GODEBUG switches off, as Go does.
func cpuOf(found string) cpu {
	cpu := cpu{}
	for _, feature := range strings.Split(found, ",") {
		cpu[feature] = true
	}
	for _, field := range strings.Split(os.Getenv("GODEBUG"), ",") {
		name, value, _ := strings.Cut(strings.TrimPrefix(field, "cpu."), "=")
		for feature := range cpu {
			if strings.HasPrefix(field, "cpu.") && (name == "all" || name == feature) {
				cpu[feature] = value == "on"
			}
		}
	}
	return cpu
}

func (c cpu) has(features ...string) bool {
	for _, feature := range features {
		if !c[feature] {
			return false
		}
	}
	return true
}

// kernel is the code path of a primitive, inferred: Go does not tell. The rules are those of the
// files *_amd64.go in crypto (Go 1.19 to 1.26) and in golang.org/x/crypto.
func (c cpu) kernel(primitive string) string {
	if runtime.GOARCH != "amd64" || runtime.Compiler != "gc" {
		return "unknown"
	}
	name, _, _ := strings.Cut(primitive, "-")
	switch name {
	case "none":
		return name
	case "aes":
		if c.has("aes", "pclmulqdq", "sse41", "ssse3") {
			return "aes-ni"
		}
		return "soft"
	case "sha1":
		return c.sha(25)
	case "sha224", "sha256":
		return c.sha(21)
	case "sha384", "sha512":
		return c.sha(never)
	case "blake2b":
		return c.first("soft", "avx2", "avx", "sse41")
	case "blake2s":
		return c.first("sse2", "sse41", "ssse3")
	case "chacha20":
		if c.has("avx2", "bmi2", "ssse3") {
			return "avx2"
		}
		return c.first("soft", "ssse3")
	case "md5", "poly1305", "sha3":
		return "asm"
	}
	return "soft"
}

const never = 1 << 30

// sha is the code path of SHA-1 and SHA-2, whose SHA instructions are used from some Go on. The
// plain one is assembly, and from Go 1.25 on Go. SHA-1 takes AVX2 for 256 bytes and more.
func (c cpu) sha(instructionsSince int) string {
	switch {
	case goMinor() >= instructionsSince && c.has("avx", "sha", "sse41", "ssse3"):
		return "sha-ni"
	case c.has("avx", "avx2", "bmi1", "bmi2"):
		return "avx2"
	case goMinor() < 25:
		return "asm"
	}
	return "soft"
}

// first is the first of these features that there is; its name is that of the code path.
func (c cpu) first(otherwise string, features ...string) string {
	for _, feature := range features {
		if c[feature] {
			return feature
		}
	}
	return otherwise
}

// goMinor is 26 in Go 1.26; a version without a number is a new one.
func goMinor() int {
	minor := 99
	fmt.Sscanf(runtime.Version(), "go1.%d", &minor)
	return minor
}
