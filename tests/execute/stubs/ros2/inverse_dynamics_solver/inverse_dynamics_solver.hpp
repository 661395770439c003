// The public interface of inverse_dynamics_solver, as far as plugins and their users see it.
#pragma once

#include <string>

#include <Eigen/Core>
#include <rclcpp/rclcpp.hpp>

namespace inverse_dynamics_solver {

class InverseDynamicsSolver {
public:
    virtual ~InverseDynamicsSolver() = default;
    virtual void initialize(rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr parameters_interface = nullptr,
        const std::string &param_namespace = "", const std::string &robot_description = "") = 0;
    virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd &joint_positions) const = 0;
    virtual Eigen::VectorXd getCoriolisVector(
        const Eigen::VectorXd &joint_positions, const Eigen::VectorXd &joint_velocities) const = 0;
    virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd &joint_positions) const = 0;
    virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd &joint_velocities) const = 0;
    virtual Eigen::VectorXd getTorques(const Eigen::VectorXd &joint_positions, const Eigen::VectorXd &joint_velocities,
        const Eigen::VectorXd &joint_accelerations) const = 0;
};

} // namespace inverse_dynamics_solver
