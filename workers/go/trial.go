package main

import (
	"bytes"
	"fmt"
	"os"
)

// thatWork is what of the table gives the same tags in all key lives, and opens what it seals and
// nothing else.
func thatWork(cpu cpu) (macs []mac) {
	for _, mac := range table() {
		if reason := fault(&mac); reason != nil {
			fmt.Fprintf(os.Stderr, "%s is left out: %v\n", mac.name, reason)
			continue
		}
		mac.kernel = cpu.kernel(mac.primitive)
		macs = append(macs, mac)
	}
	return macs
}

// fault is nil for what works. Under GODEBUG=fips140=only a library panics at the rest.
func fault(m *mac) (reason any) {
	defer func() {
		if panicked := recover(); panicked != nil {
			reason = panicked
		}
	}()
	keyLen := m.keyLens[1]
	if keyLen > 64 {
		keyLen = 32
	}
	key, nonce := counting(keyLen), make([]byte, m.nonceLen)
	messages := [][]byte{[]byte("one"), counting(90), []byte("one")}
	var right [][]byte
	for _, call := range m.calls {
		tags, tagger := [][]byte{}, call.open(key, nonce)
		for _, message := range messages {
			tags = append(tags, append([]byte{}, tagger(key, message)...))
		}
		if right == nil {
			right = tags
		}
		for i, tag := range tags {
			if !bytes.Equal(tag, right[i]) || len(tag) != m.tagLen {
				return "tags differ"
			}
		}
	}
	isConstant := bytes.Equal(right[0], right[1]) && m.name != empty.name
	if !bytes.Equal(right[0], right[2]) || isConstant {
		return "tags are not the messages'"
	}
	if m.isComposition && !opensWhatIsSealed(m, key, nonce) {
		return "opens wrongly"
	}
	return nil
}

func opensWhatIsSealed(m *mac, key, nonce []byte) bool {
	aead := must(m.aead(key, len(nonce), m.tagLen))
	message, data := []byte("message"), []byte("data")
	sealed := aead.Seal(nil, nonce, message, data)
	opened, err := aead.Open(nil, nonce, sealed, data)
	_, forged := aead.Open(nil, nonce, sealed, []byte("date"))
	return err == nil && bytes.Equal(opened, message) && forged != nil
}

// counting is the bytes 1, 2, 3, …
func counting(length int) []byte {
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(i + 1)
	}
	return bytes
}
