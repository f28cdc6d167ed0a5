//! One seed, many streams: random numbers that depend on *what* is drawn, never on which thread draws it.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The generator for the logical place `path` (restart, instance, temperature, sweep, block, ...).
///
/// `seed` selects the key and the hashed path the stream number of one `ChaCha8` generator, so that
/// restart 5 of 20 draws the same numbers as restart 5 of 6, with one thread or eight.
pub fn stream(seed: u64, path: &[u64]) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(path.iter().fold(0x6765_6e63_6170, |hash, &part| mix(hash ^ mix(part))));
    rng
}

/// The finalizer of SplitMix64: a bijection of the 64-bit integers that scatters near values.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A pair of independent standard normal numbers (Box and Muller).
pub fn normal_pair(rng: &mut ChaCha8Rng) -> (f64, f64) {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    let (sine, cosine) = (std::f64::consts::TAU * rng.random::<f64>()).sin_cos();
    (radius * cosine, radius * sine)
}

/// Fill `out` with independent standard normal numbers.
pub fn fill_normal<'a>(rng: &mut ChaCha8Rng, out: impl IntoIterator<Item = &'a mut f64>) {
    let mut spare = None;
    for slot in out {
        *slot = spare.take().unwrap_or_else(|| {
            let (first, second) = normal_pair(rng);
            spare = Some(second);
            first
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |seed, path: &[u64]| stream(seed, path).random::<u64>();
        assert_eq!(draw(7, &[1, 2]), draw(7, &[1, 2]));
        assert_ne!(draw(7, &[1, 2]), draw(7, &[2, 1]));
        assert_ne!(draw(7, &[1, 2]), draw(8, &[1, 2]));
        assert_ne!(draw(7, &[0]), draw(7, &[0, 0]));
    }

    #[test]
    fn normal_numbers_have_unit_moments() {
        let mut values = vec![0.0; 100_001];
        fill_normal(&mut stream(3, &[]), &mut values);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / n;
        // Five standard errors: 1/sqrt(n) for the mean, sqrt(2/n) for the variance.
        assert!(mean.abs() < 5.0 / n.sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{variance}");
    }
}
