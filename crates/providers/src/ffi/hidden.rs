//! Instructions hidden from this process and its threads, for libraries that take what CPUID tells
//! and have no switch: Linux lets that instruction trap where the processor or the hypervisor has
//! CPUID faulting (`arch_prctl(2)`, `ARCH_SET_CPUID`). The handler answers it as the processor
//! would, less the bits that are left out. A program that is started from here sees all again.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub(crate) fn hide(_: &words::Without) -> bool {
    false
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) use trap::hide;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trap {
    #![expect(unsafe_code, reason = "a handler for a signal, and a call of the system")]

    use std::arch::x86_64::__cpuid_count;
    use std::mem::zeroed;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use nix::libc::{
        REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RIP, SA_ONSTACK, SA_SIGINFO, SIG_DFL, SIGSEGV,
        SYS_arch_prctl, c_int, c_long, c_void, greg_t, sigaction, siginfo_t, syscall, ucontext_t,
    };
    use words::Without;

    use crate::capabilities::{Masks, masks};
    use crate::processor;

    const ARCH_SET_CPUID: c_long = 0x1012;

    /// What a general protection fault says of itself (`asm-generic/siginfo.h`).
    const SI_KERNEL: c_int = 0x80;

    /// The instruction CPUID.
    const CPUID: [u8; 2] = [0x0F, 0xA2];

    /// What is hidden, a [`Masks`].
    static HIDDEN: [AtomicU32; 5] = [const { AtomicU32::new(0) }; 5];

    /// Hides these instructions; whether that took effect.
    pub(crate) fn hide(without: &Without) -> bool {
        for (hidden, mask) in HIDDEN.iter().zip(masks(without)) {
            hidden.store(mask, Relaxed);
        }
        // SAFETY: a structure of numbers, of which zero is a valid value of each; a handler of the
        // type that the flags say; no old handler is asked for.
        let is_set = unsafe {
            let mut action: sigaction = zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK;
            sigaction(SIGSEGV, &raw const action, null_mut()) == 0
        };
        // Whoever asked before this keeps what it was told then, the standard library too.
        let is_hidden = is_set
            && let_trap(true)
            && without.extensions().iter().all(|it| !processor::tells_of(*it));
        if !is_hidden {
            let_trap(false);
        }
        is_hidden
    }

    /// Whether CPUID traps in this thread, and in those that it starts.
    fn let_trap(trap: bool) -> bool {
        // SAFETY: changes nothing but what CPUID does in this thread.
        unsafe { syscall(SYS_arch_prctl, ARCH_SET_CPUID, c_long::from(!trap)) == 0 }
    }

    /// Answers a CPUID that trapped. Any other fault ends the process, as it would without this,
    /// but without the standard library's word on a stack that overflowed.
    ///
    /// It calls nothing but the system, so that it may interrupt anything.
    extern "C" fn on_fault(_: c_int, info: *mut siginfo_t, context: *mut c_void) {
        // SAFETY: the kernel hands over both, of these types, and nobody else has them now.
        let (info, context) = unsafe { (&*info, &mut *context.cast::<ucontext_t>()) };
        let registers = &mut context.uc_mcontext.gregs;
        let at = registers[REG_RIP as usize] as *const [u8; 2];
        // SAFETY: the processor read the instruction there just now, before it raised this kind of
        // fault; it may have been shorter, and then this reads a byte behind it, which is mapped
        // but where the code ends with the page. Then this faults again, and the process ends.
        let is_cpuid = info.si_code == SI_KERNEL && unsafe { at.read_unaligned() } == CPUID;
        if !is_cpuid {
            // SAFETY: `action` is a valid structure of our own, for which all zeros stand for no
            // flags and an empty mask; `sigaction` may be called in a handler.
            unsafe {
                let mut action: sigaction = zeroed();
                action.sa_sigaction = SIG_DFL;
                sigaction(SIGSEGV, &raw const action, null_mut());
            }
            return;
        }
        let asked = |register: c_int| registers[register as usize] as u32;
        let told = told(asked(REG_RAX), asked(REG_RCX));
        for (register, value) in [REG_RAX, REG_RBX, REG_RCX, REG_RDX].into_iter().zip(told) {
            registers[register as usize] = greg_t::from(value);
        }
        registers[REG_RIP as usize] += CPUID.len() as greg_t;
    }

    /// EAX, EBX, ECX and EDX, less what is hidden.
    fn told(leaf: u32, subleaf: u32) -> [u32; 4] {
        let_trap(false);
        let it = __cpuid_count(leaf, subleaf);
        let_trap(true);
        let [ebx, ecx, edx, second_eax, second_edx]: Masks =
            HIDDEN.each_ref().map(|mask| mask.load(Relaxed));
        match (leaf, subleaf) {
            (7, 0) => [it.eax, it.ebx & !ebx, it.ecx & !ecx, it.edx & !edx],
            (7, 1) => [it.eax & !second_eax, it.ebx, it.ecx, it.edx & !second_edx],
            _ => [it.eax, it.ebx, it.ecx, it.edx],
        }
    }
}
