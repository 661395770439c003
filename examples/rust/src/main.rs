//! Prints the torques that hold a PUMA 560 against gravity, and that accelerate it.

use puma560::{gravity_force, inverse_dynamics, NQ, NV};

fn main() {
    let q: [f64; NQ] = [0.1, -0.5, 0.8, 0.3, 1.2, -0.7];
    let v: [f64; NV] = [1.0, -1.0, 2.0, 0.0, 1.0, 3.0];
    let mut holding = [0.0; NV];
    let mut moving = [0.0; NV];
    gravity_force(&q, &mut holding);
    inverse_dynamics(&q, &v, &[2.0; NV], &mut moving);
    for torque in holding.iter().chain(&moving) {
        print!("{torque:?} ");
    }
    println!();
}
