//! The library `macs` for JavaScript. The package is in `package`, its types and what each call
//! does in `package/index.d.ts`; here is the WebAssembly module behind it.
//!
//! JavaScript writes what a call takes into the input area, one thing behind the other, and says
//! how long each is. What comes out, tags or the words of an error, lies in the output area. Keys
//! stay here, and JavaScript has numbers for them. When a call is over, nothing of what it took is
//! left in the input area.

mod areas;
mod batch;
mod catalog;
mod edge;
mod objects;
mod refused;
mod single;
