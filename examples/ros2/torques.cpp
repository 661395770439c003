// Prints what the exported plugin knows of a PUMA 560, loaded by its name as any plugin of inverse_dynamics_solver.

#include <iostream>

#include <inverse_dynamics_solver/inverse_dynamics_solver.hpp>
#include <pluginlib/class_loader.hpp>

int main()
{
    pluginlib::ClassLoader<inverse_dynamics_solver::InverseDynamicsSolver> loader(
        "inverse_dynamics_solver", "inverse_dynamics_solver::InverseDynamicsSolver");
    const auto solver = loader.createSharedInstance("puma560_dynamics/Solver");
    solver->initialize();
    Eigen::VectorXd q(6), v(6), a(6);
    q << 0.1, -0.5, 0.8, 0.3, 1.2, -0.7;
    v << 1.0, -1.0, 2.0, 0.0, 1.0, 3.0;
    a.setConstant(2.0);
    std::cout.precision(17);
    for (const auto &values : {Eigen::VectorXd(solver->getInertiaMatrix(q) * a), solver->getCoriolisVector(q, v),
             solver->getGravityVector(q), solver->getFrictionVector(v), solver->getTorques(q, v, a)}) {
        std::cout << values.transpose() << '\n';
    }
}
