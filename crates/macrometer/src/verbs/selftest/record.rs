//! What a bundle says of the test vectors: the built-in ones, put to the providers of its run.

use fleet::{ProviderTest, Selftest};
use lab::plan::NULL;
use lab::record::ProviderRecord;
use lab::worker::client::Launch;
use vectors::Case;

use super::prove_all;
use crate::proof::Verdict;

/// Puts the built-in vectors to these providers.
pub fn of(launches: &[Launch], providers: &[ProviderRecord]) -> Selftest {
    let cases: Vec<Case> = vectors::compact().flat_map(|(_, cases)| cases).collect();
    let pairs = launches.iter().zip(providers).filter(|(_, provider)| provider.name != NULL);
    let (launches, providers): (Vec<Launch>, Vec<ProviderRecord>) =
        pairs.map(|(launch, provider)| (launch.clone(), provider.clone())).unzip();
    let proofs = prove_all(&launches, &providers, &cases);
    let test = |(provider, proof): (&ProviderRecord, &crate::proof::Proof)| ProviderTest {
        name: provider.name.clone(),
        version: provider.version.clone(),
        path: provider.path.clone(),
        passed: proof.count(|verdict| *verdict == Verdict::Passed) as u64,
        failed: proof.count(|verdict| matches!(verdict, Verdict::Failed(_))) as u64,
        refused: proof.count(|verdict| matches!(verdict, Verdict::Refused(_))) as u64,
        ended_by: proof.ended_by.clone(),
    };
    Selftest {
        vectors_id: id(&cases),
        vectors: cases.len() as u64,
        providers: providers.iter().zip(&proofs).map(test).collect(),
    }
}

/// The first 16 bytes of BLAKE3 over all fields of all cases, each behind its length.
fn id(cases: &[Case]) -> String {
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    for case in cases {
        let texts = [case.id.as_bytes(), case.mac.as_bytes(), &case.key, &case.nonce];
        texts.into_iter().for_each(&mut add);
        let rest = [&case.customization[..], &case.associated_data, &case.message.unit, &case.tag];
        rest.into_iter().for_each(&mut add);
        let ciphertext = case.ciphertext.as_deref();
        add(&[u8::from(ciphertext.is_some()), u8::from(case.is_valid)]);
        add(ciphertext.unwrap_or_default());
        add(&(case.message.len_bytes as u64).to_le_bytes());
        add(&case.tag_bits.unwrap_or(u64::MAX).to_le_bytes());
    }
    hex::encode(&hash.finalize().as_bytes()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_have_one_name_and_any_change_gives_them_another() {
        let cases: Vec<Case> = vectors::compact().flat_map(|(_, cases)| cases).take(9).collect();
        assert_eq!(id(&cases), id(&cases.clone()));
        let mut changed = cases.clone();
        changed[3].tag[0] ^= 1;
        assert_ne!(id(&changed), id(&cases));
        changed.clone_from(&cases);
        changed[4].is_valid ^= true;
        assert_ne!(id(&changed), id(&cases));
    }
}
