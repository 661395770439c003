// A loader of what is linked already.
#pragma once

#include <memory>
#include <string>

#include <pluginlib/class_list_macros.hpp>

namespace pluginlib {

template <class Base>
class ClassLoader {
public:
    ClassLoader(const std::string &, const std::string &) {}

    std::shared_ptr<Base> createSharedInstance(std::string name)
    {
        name.replace(name.find('/'), 1, "::");
        return registered<Base>().at(name)();
    }
};

} // namespace pluginlib
