//! Mid-ranks: position in ascending order from 1, equal values sharing the mean of the positions
//! they occupy. Source: M. Hollander, D. A. Wolfe, *Nonparametric Statistical Methods*, 2nd ed.,
//! §3.1 (signed ranks) and §7.1 (ranks within blocks).

/// Ranks of a series, in its order, and how often each tie occurs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Ranks {
    /// Mid-rank of each value, from 1; a multiple of one half.
    pub ranks: Vec<f64>,
    /// Size of each group of equal values, ascending by value; groups of one are left out.
    pub ties: Vec<usize>,
}

impl Ranks {
    /// Σ (t³ − t) over the tie groups, the quantity all tie corrections are built on.
    pub fn tie_sum(&self) -> f64 {
        self.ties.iter().map(|&t| (t as f64).powi(3) - t as f64).sum()
    }
}

/// Mid-ranks of `values`, which may be empty and should hold no NaN (one would be ranked last).
pub fn mid_ranks(values: &[f64]) -> Ranks {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut ties = Vec::new();
    let mut below = 0;
    // `==` and not total_cmp joins a group: −0.0 and 0.0 are one value.
    for group in order.chunk_by(|&i, &j| values[i] == values[j]) {
        // Positions below + 1 ..= below + len have the mean below + (len + 1) / 2.
        let rank = below as f64 + (group.len() + 1) as f64 / 2.0;
        for &i in group {
            ranks[i] = rank;
        }
        if group.len() > 1 {
            ties.push(group.len());
        }
        below += group.len();
    }
    Ranks { ranks, ties }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_positions() {
        let ranked = mid_ranks(&[3.0, 1.0, 3.0, 2.0, 3.0, -0.0, 0.0]);
        assert_eq!(ranked.ranks, [6.0, 3.0, 6.0, 4.0, 6.0, 1.5, 1.5]);
        assert_eq!(ranked.ties, [2, 3]);
        assert_eq!(ranked.tie_sum(), 6.0 + 24.0);
    }

    #[test]
    fn nothing_has_no_ranks() {
        assert_eq!(mid_ranks(&[]), Ranks { ranks: vec![], ties: vec![] });
    }
}
