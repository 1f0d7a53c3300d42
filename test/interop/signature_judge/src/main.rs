//! Judges Ed25519 signatures by the crates that the Radicle programs use: `ec25519` up to radicle-crypto 0.17,
//! `ed25519-dalek` since.
//!
//! Each line of the input has a public key, a message and a signature in hexadecimal digits, separated by
//! single spaces; a message may be empty. Each line of the output has two digits, 1 for "accepted", in the
//! order of the crates above.

use std::io::{self, BufRead, Write};

use ed25519_dalek::Verifier;

fn bytes(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn accepts_ec25519(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    ec25519::PublicKey::new(*key)
        .verify(message, &ec25519::Signature::new(*signature))
        .is_ok()
}

fn accepts_dalek(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    ed25519_dalek::VerifyingKey::from_bytes(key)
        .and_then(|key| key.verify(message, &ed25519_dalek::Signature::from_bytes(signature)))
        .is_ok()
}

fn main() -> io::Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let fields: Vec<Vec<u8>> = line.split(' ').map(bytes).collect();
        let [key, message, signature] = fields.as_slice() else {
            panic!("a line has three fields");
        };
        let key = key.as_slice().try_into().expect("32 bytes");
        let signature = signature.as_slice().try_into().expect("64 bytes");
        let by = |accepts: fn(&[u8; 32], &[u8], &[u8; 64]) -> bool| u8::from(accepts(key, message, signature));
        writeln!(output, "{}{}", by(accepts_ec25519), by(accepts_dalek))?;
    }
    output.flush()
}
