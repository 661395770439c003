// Prints the torques that hold a PUMA 560 against gravity, and that accelerate it, in double and single precision.

#include <array>
#include <cstdio>
#include <vector>

#include <puma560.hpp>

namespace {

// Works in either precision, and allocates nothing but what the caller does.
template <class Real>
void print()
{
    using robot = puma560::model<Real>;
    const std::array<Real, puma560::nq> q{Real(0.1), Real(-0.5), Real(0.8), Real(0.3), Real(1.2), Real(-0.7)};
    const Real v[puma560::nv] = {Real(1), Real(-1), Real(2), Real(0), Real(1), Real(3)};
    const std::vector<Real> vdot(puma560::nv, Real(2));
    std::array<Real, puma560::nv> holding{};
    std::array<Real, puma560::nv> moving{};
    robot::gravity_force(q, holding);
    robot::inverse_dynamics(q, v, vdot, moving.data());
    for (const Real torque : holding) {
        std::printf("%.17g ", static_cast<double>(torque));
    }
    for (const Real torque : moving) {
        std::printf("%.17g ", static_cast<double>(torque));
    }
    std::printf("\n");
}

} // namespace

int main()
{
    print<double>();
    print<float>();
}
