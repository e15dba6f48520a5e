package main

import (
	"encoding/binary"
	"runtime"
	"sort"
	"time"
)

const (
	messageCount = 16
	messageStep  = 64
)

// messages of a cell: the pool's, and those that are timed.
type messages struct {
	proved, timed [messageCount][]byte
}

// cut gives messages that overlap in the pool, as in the workers of other languages.
func cut(pool []byte, length int) messages {
	if needed := messageStep*(messageCount-1) + length; needed > len(pool) {
		refuse("the pool has %d bytes, %d needed", len(pool), needed)
	}
	var cut messages
	for i := range cut.proved {
		cut.proved[i] = pool[messageStep*i:][:length:length]
	}
	cut.timed = cut.proved
	return cut
}

// cell is one mac, key life, regime and length, with its keys and messages.
type cell struct {
	mac      *mac
	open     func(key, nonce []byte) tagger
	tagger   tagger
	keys     [messageCount][]byte
	messages messages
	// chained makes a call wait for the last one (regime latency).
	chained bool
}

func (c *cell) rekey(joined []byte) {
	keyLen := len(joined) - (messageCount - 1)
	if keyLen < 0 {
		refuse("%d bytes are not %d keys", len(joined), messageCount)
	}
	var keys [messageCount][]byte
	for i := range keys {
		keys[i] = joined[i:][:keyLen:keyLen]
	}
	c.mac.checkKey(keys[0])
	c.tagger = c.open(keys[0], make([]byte, c.mac.nonceLen))
	c.keys = keys
}

func (c *cell) prove(count int) (tags []byte) {
	for i := 0; i < count; i++ {
		tags = append(tags, c.tagger(c.keys[i], c.messages.proved[i])...)
	}
	return tags
}

// leadIn is how many calls come untimed before those that are timed: after the other workers had the
// processor, the first call finds cold caches.
func leadIn(calls int) int {
	if calls < 16 {
		return 1
	}
	return calls / 16
}

// run is one sample.
func (c *cell) run(iterations int) time.Duration {
	// What earlier samples left is not this one's to collect. What this one leaves is: a Go program
	// cannot do without the collector where each call makes a new object.
	runtime.GC()
	c.calls(leadIn(iterations))
	begin := time.Now()
	c.calls(iterations)
	return time.Since(begin)
}

func (c *cell) calls(count int) {
	call, timed := c.tagger, &c.messages.timed
	if c.chained {
		tag := make([]byte, c.mac.tagLen)
		for i := 0; i < count; i++ {
			message := timed[i%messageCount]
			mix(message, tag)
			tag = call(c.keys[i%messageCount], message)
		}
		return
	}
	for i := 0; i < count; i++ {
		call(c.keys[i%messageCount], timed[i%messageCount])
	}
}

// mix makes the message depend on the last tag, by its first eight bytes.
func mix(message, tag []byte) {
	if len(message) >= 8 && len(tag) >= 8 {
		mixed := binary.LittleEndian.Uint64(message) ^ binary.LittleEndian.Uint64(tag)
		binary.LittleEndian.PutUint64(message, mixed)
		return
	}
	for i := 0; i < len(message) && i < 8 && i < len(tag); i++ {
		message[i] ^= tag[i]
	}
}

// single times calls one by one: values in nanoseconds, and how often each came.
func (c *cell) single(count int) [][2]int64 {
	runtime.GC()
	c.calls(leadIn(count))
	times, bracket := make([]int64, count), emptyBracket()
	tag := make([]byte, c.mac.tagLen)
	for i := range times {
		key, message := c.keys[i%messageCount], c.messages.timed[i%messageCount]
		if c.chained {
			mix(message, tag)
		}
		begin := time.Now()
		tag = c.tagger(key, message)
		times[i] = int64(time.Since(begin))
	}
	counts := map[int64]int64{}
	for _, ns := range times {
		if ns -= bracket; ns < 0 {
			ns = 0
		}
		counts[ns]++
	}
	return sorted(counts)
}

// emptyBracket is the median cost of two clock reads with nothing between them.
func emptyBracket() int64 {
	times := make([]int64, 1001)
	for i := range times {
		begin := time.Now()
		times[i] = int64(time.Since(begin))
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	return times[len(times)/2]
}

func sorted(counts map[int64]int64) [][2]int64 {
	pairs := make([][2]int64, 0, len(counts))
	for value, count := range counts {
		pairs = append(pairs, [2]int64{value, count})
	}
	sort.Slice(pairs, func(i, j int) bool { return pairs[i][0] < pairs[j][0] })
	return pairs
}
