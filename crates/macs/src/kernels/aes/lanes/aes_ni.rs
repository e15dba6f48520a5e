//! Eight lanes on 128-bit registers.
#![expect(unsafe_code, reason = "calls into target_feature functions")]

use core::arch::x86_64::__m128i;

use super::super::{Block, Schedule};
use super::ring::KeyRing;
use super::{Padding, Start, eight, expand};
use crate::kernels::Job;
use crate::kernels::cpu::AesNi;

/// Number of lanes.
pub(super) const LANES: usize = 8;

eight::entries!(AesNi, __m128i, "aes,avx", LANES, 2);
