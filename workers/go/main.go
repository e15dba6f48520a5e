// A macrometer worker: the MACs of this Go, measured in Go.
//
// Speaks docs/worker-protocol.md on standard input and output. HMAC and GCM are the standard
// library's; the rest is of golang.org/x/crypto, where it was there to build with (tag x_crypto).
// Built and run by the `go` provider (crates/providers/src/programs/go.rs), whose arguments are
// the provider's name, the `go` that built this, what there was of golang.org/x/crypto, and what
// the CPU has. Needs Go 1.19.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
)

func main() {
	// The lab decides when a run ends; Ctrl-C reaches the whole group of processes.
	signal.Ignore(os.Interrupt)
	// One thread makes tags and collects garbage, and stays where the lab has put it.
	runtime.GOMAXPROCS(1)
	runtime.LockOSThread()
	session := newSession(
		place{name: argument(1), goPath: argument(2), xCrypto: argument(3)}, cpuOf(argument(4)),
	)
	requests := bufio.NewReaderSize(os.Stdin, 1<<16)
	for {
		line, isTooLong, err := readLine(requests)
		if err != nil {
			// The end of the stream. What came without an end of line is not a request.
			return
		}
		reply := fmt.Sprintf("err the request has more than %d bytes", lineMax)
		if !isTooLong {
			reply = session.reply(line)
		}
		if _, err := os.Stdout.WriteString(reply + "\n"); err != nil {
			// The lab is gone; there is nobody to tell.
			os.Exit(1)
		}
		if line == "close" {
			return
		}
	}
}

// readLine is the next line without its end; nothing of it, where it is longer than lineMax.
func readLine(from *bufio.Reader) (text string, isTooLong bool, err error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		if isTooLong = isTooLong || len(line)+len(part) > lineMax; isTooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return strings.TrimSuffix(string(line), "\n"), isTooLong, err
		}
	}
}

func argument(index int) string {
	if index < len(os.Args) {
		return os.Args[index]
	}
	return "unknown"
}

// reply is the line that answers a request, without its end of line. What a library refuses, with
// an error or a panic, ends the request and nothing else.
func (s *session) reply(line string) (reply string) {
	defer func() {
		if reason := recover(); reason != nil {
			reply = "err " + printable(fmt.Sprint(reason))
		}
	}()
	words := strings.Split(line, " ")
	request, known := requests[words[0]]
	if !known {
		return "err " + printable("no request "+words[0])
	}
	if len(words)-1 != request.words {
		return fmt.Sprintf("err %s takes %d words", words[0], request.words)
	}
	return "ok " + string(must(json.Marshal(request.answer(s, words[1:]))))
}

// printable is one line of ASCII.
func printable(text string) string {
	if len(text) > 400 {
		text = text[:400]
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
}

// must gives the value; an error ends the request.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// refuse ends the request with this line.
func refuse(format string, values ...any) {
	panic(fmt.Sprintf(format, values...))
}
