package main

import (
	"encoding/hex"
	"runtime"
	"strconv"
	"strings"
)

// A call is a tenth of a microsecond: these stand for many minutes, and bound a bad request.
const (
	iterationsMax = 10_000_000_000
	singleMax     = 10_000_000
	lenMax        = 1 << 26
	lineMax       = 1 << 26
	tagMax        = 1 << 16
)

// session is what the lab has told so far.
type session struct {
	place place
	macs  []mac
	pool  []byte
	cells map[int]*cell
}

// place is what the provider says of this worker: its name, the `go` that built it, and which
// golang.org/x/crypto it was built with.
type place struct {
	name, goPath, xCrypto string
}

func newSession(place place, cpu cpu) *session {
	return &session{place: place, macs: thatWork(cpu), cells: map[int]*cell{}}
}

type request struct {
	words  int
	answer func(*session, []string) any
}

// requests are the words after each verb, and what is done.
var requests = map[string]request{
	"close":  {0, func(*session, []string) any { return object{} }},
	"info":   {0, (*session).info},
	"open":   {6, (*session).open},
	"pool":   {1, (*session).setPool},
	"prove":  {2, (*session).prove},
	"rekey":  {2, (*session).rekey},
	"run":    {2, (*session).run},
	"seal":   {6, (*session).seal},
	"single": {2, (*session).single},
	"tag":    {6, (*session).tag},
	"unseal": {6, (*session).unseal},
}

// object is a reply in JSON.
type object map[string]any

func (s *session) info([]string) any {
	offers := []object{}
	for _, mac := range s.macs {
		lives := []string{}
		for _, call := range mac.calls {
			lives = append(lives, call.keyLife)
		}
		offers = append(offers, object{"mac": mac.name, "kernel": mac.kernel, "key_lives": lives})
	}
	return object{
		"protocol": 2,
		"name":     s.place.name,
		"version":  strings.TrimPrefix(runtime.Version(), "go"),
		"path":     s.place.goPath,
		"detail":   s.place.xCrypto,
		"offers":   offers,
	}
}

func (s *session) setPool(words []string) any {
	s.pool = bytesOf(words[0])
	return object{}
}

func (s *session) open(words []string) any {
	number := whole(words[0], iterationsMax)
	mac := s.offered(words[1])
	call := mac.call(words[2])
	regime := words[3]
	if regime != "single" && regime != "latency" {
		refuse("no regime %s: latency or single", regime)
	}
	if s.pool == nil {
		refuse("no pool yet")
	}
	messages := cut(s.pool, whole(words[4], lenMax))
	if regime == "latency" {
		// It writes into its messages, so it has a pool of its own.
		own := append([]byte{}, s.pool...)
		messages.timed = cut(own, len(messages.proved[0])).proved
	}
	cell := &cell{mac: mac, open: call.open, messages: messages, chained: regime == "latency"}
	cell.rekey(bytesOf(words[5]))
	s.cells[number] = cell
	return object{}
}

func (s *session) rekey(words []string) any {
	s.cell(words[0]).rekey(bytesOf(words[1]))
	return object{}
}

func (s *session) prove(words []string) any {
	cell := s.cell(words[0])
	return object{"tags": hex.EncodeToString(cell.prove(positive(words[1], messageCount)))}
}

func (s *session) run(words []string) any {
	cell := s.cell(words[0])
	return object{"elapsed_ns": cell.run(positive(words[1], iterationsMax)).Nanoseconds()}
}

func (s *session) single(words []string) any {
	cell := s.cell(words[0])
	return object{"ns": cell.single(positive(words[1], singleMax))}
}

func (s *session) tag(words []string) any {
	mac := s.offered(words[0])
	if mac.isComposition {
		refuse("%s is a composition: seal", mac.name)
	}
	key, nonce := maybeBytes(words[1]), maybeBytes(words[2])
	if words[3] != "-" {
		refuse("%s takes no customization string", mac.name)
	}
	tagLen := positive(words[4], tagMax)
	if tagLen > mac.tagLen || mac.tagLenIsInput && tagLen != mac.tagLen {
		refuse("a tag of %d bytes; %s has %d", tagLen, mac.name, mac.tagLen)
	}
	if (len(nonce) > 0) != (mac.nonceLen > 0) {
		refuse("a nonce of %d bytes for %s", len(nonce), mac.name)
	}
	mac.checkKey(key)
	message := maybeBytes(words[5])
	tag := mac.calls[0].open(key, nonce)(key, message)
	return object{"tag": hex.EncodeToString(tag[:tagLen])}
}

func (s *session) seal(words []string) any {
	mac := s.composition(words[0])
	key, nonce := maybeBytes(words[1]), maybeBytes(words[2])
	data, message := maybeBytes(words[3]), maybeBytes(words[5])
	mac.checkKey(key)
	aead := must(mac.aead(key, len(nonce), positive(words[4], tagMax)))
	sealed := aead.Seal(nil, nonce, message, data)
	return object{
		"ciphertext": hex.EncodeToString(sealed[:len(message)]),
		"tag":        hex.EncodeToString(sealed[len(message):]),
	}
}

func (s *session) unseal(words []string) any {
	mac := s.composition(words[0])
	key, nonce := maybeBytes(words[1]), maybeBytes(words[2])
	data, ciphertext, tag := maybeBytes(words[3]), maybeBytes(words[4]), maybeBytes(words[5])
	mac.checkKey(key)
	aead := must(mac.aead(key, len(nonce), len(tag)))
	message, err := aead.Open(nil, nonce, append(ciphertext, tag...), data)
	if err != nil {
		return object{"message": nil}
	}
	return object{"message": hex.EncodeToString(message)}
}

func (s *session) offered(name string) *mac {
	for i := range s.macs {
		if s.macs[i].name == name {
			return &s.macs[i]
		}
	}
	refuse("no mac %.40s here", name)
	return nil
}

func (s *session) composition(name string) *mac {
	mac := s.offered(name)
	if !mac.isComposition {
		refuse("%s is no composition: tag", name)
	}
	return mac
}

func (s *session) cell(word string) *cell {
	cell, known := s.cells[whole(word, iterationsMax)]
	if !known {
		refuse("no cell %s", word)
	}
	return cell
}

func bytesOf(word string) []byte {
	for _, digit := range word {
		if digit >= 'A' && digit <= 'F' {
			refuse("bytes are lower-case hexadecimal")
		}
	}
	return must(hex.DecodeString(word))
}

// maybeBytes is for words that cannot be empty: `-` stands for no bytes.
func maybeBytes(word string) []byte {
	if word == "-" {
		return []byte{}
	}
	return bytesOf(word)
}

func whole(word string, most int) int {
	number, err := strconv.ParseUint(word, 10, 63)
	if err != nil || word[0] == '+' || number > uint64(most) {
		refuse("not a whole number up to %d: %.40s", most, word)
	}
	return int(number)
}

func positive(word string, most int) int {
	number := whole(word, most)
	if number == 0 {
		refuse("at least 1, not 0")
	}
	return number
}
