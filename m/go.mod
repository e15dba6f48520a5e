module m

go 1.26.8

require golang.org/x/crypto v0.31.0 // indirect
