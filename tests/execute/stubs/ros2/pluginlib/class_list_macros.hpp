// Plugins register themselves by the names of their types.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace pluginlib {

template <class Base>
std::map<std::string, std::function<std::shared_ptr<Base>()>> &registered()
{
    static std::map<std::string, std::function<std::shared_ptr<Base>()>> makers;
    return makers;
}

} // namespace pluginlib

#define PLUGINLIB_JOIN_(a, b) a##b
#define PLUGINLIB_JOIN(a, b) PLUGINLIB_JOIN_(a, b)
#define PLUGINLIB_EXPORT_CLASS(type, base) \
    static const bool PLUGINLIB_JOIN(registered_, __COUNTER__) = \
        (pluginlib::registered<base>()[#type] = [] { return std::make_shared<type>(); }, true);
