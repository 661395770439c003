// What controllers see of ros2_control.
#pragma once

#include <string>
#include <vector>

#include <rclcpp/rclcpp.hpp>

namespace hardware_interface {

class LoanedInterface {
public:
    double get_value() const { return value_; }
    void set_value(double value) { value_ = value; }

private:
    double value_ = 0.0;
};

} // namespace hardware_interface

namespace controller_interface {

enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class return_type { OK, ERROR };
enum class interface_configuration_type { ALL, INDIVIDUAL, NONE };

struct InterfaceConfiguration {
    interface_configuration_type type;
    std::vector<std::string> names;
};

class ControllerInterface {
public:
    virtual ~ControllerInterface() = default;
    virtual CallbackReturn on_init() = 0;
    virtual InterfaceConfiguration command_interface_configuration() const = 0;
    virtual InterfaceConfiguration state_interface_configuration() const = 0;
    virtual return_type update(const rclcpp::Time &time, const rclcpp::Duration &period) = 0;

    std::vector<hardware_interface::LoanedInterface> command_interfaces_;
    std::vector<hardware_interface::LoanedInterface> state_interfaces_;
};

} // namespace controller_interface
