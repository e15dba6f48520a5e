//! Sixteen lanes on 256-bit registers.
#![expect(unsafe_code, reason = "calls into target_feature functions")]

use core::arch::x86_64::__m256i;

use super::super::{Block, Schedule};
use super::ring::KeyRing;
use super::{Padding, Start, eight, expand};
use crate::kernels::Job;
use crate::kernels::cpu::Vaes256;

eight::entries!(Vaes256, __m256i, "vaes,aes,avx,avx2", 16, 4);
