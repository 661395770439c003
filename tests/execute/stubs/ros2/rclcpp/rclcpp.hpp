// What plugins see of rclcpp: parameters of a node, times.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace rclcpp {

class Parameter {
public:
    Parameter() = default;
    explicit Parameter(double value) : value_(value) {}
    double as_double() const { return value_; }

private:
    double value_ = 0.0;
};

class Time {};
class Duration {};

namespace node_interfaces {

class NodeParametersInterface {
public:
    using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
    virtual ~NodeParametersInterface() = default;
    virtual bool get_parameter(const std::string &name, Parameter &parameter) const = 0;
};

} // namespace node_interfaces

} // namespace rclcpp
