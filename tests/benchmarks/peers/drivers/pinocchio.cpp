// Pinocchio's algorithms on a model that is written joint by joint, over states in turn.
#include <fstream>
#include <map>
#include <string>
#include <vector>
#include <pinocchio/fwd.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#ifdef DERIVATIVES
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#else
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/model.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#endif
#include "clock.h"
using namespace pinocchio;

struct Peer {
    Model model;
    Data data;
    long states = 0;
    std::vector<Eigen::VectorXd> q, v, u;
};

static SE3 placement(std::istream &in)
{
    SE3::Matrix3 R;
    SE3::Vector3 p;
    for (int k = 0; k < 9; ++k) in >> R(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) in >> p[k];
    return SE3(R, p);
}

static JointModel joint_of(const std::string &kind, const SE3::Vector3 &axis)
{
    static const std::map<std::string, JointModel> known = {
        {"RX", JointModelRX()}, {"RY", JointModelRY()}, {"RZ", JointModelRZ()}, {"PX", JointModelPX()},
        {"PY", JointModelPY()}, {"PZ", JointModelPZ()}, {"FreeFlyer", JointModelFreeFlyer()}};
    if (kind == "RevoluteUnaligned") return JointModelRevoluteUnaligned(axis);
    if (kind == "PrismaticUnaligned") return JointModelPrismaticUnaligned(axis);
    return known.at(kind);
}

extern "C" __attribute__((visibility("default"))) void *peer_open(const char *path)
{
    Peer *peer = new Peer;
    Model &model = peer->model;
    std::ifstream in(path);
    SE3::Vector3 gravity;
    int joints, followers;
    in >> gravity[0] >> gravity[1] >> gravity[2] >> joints;
    model.gravity.linear(gravity);
    for (int k = 0; k < joints; ++k) {
        int parent;
        std::string kind;
        SE3::Vector3 axis, center;
        SE3::Matrix3 about;
        double mass;
        in >> parent >> kind >> axis[0] >> axis[1] >> axis[2];
        const SE3 place = placement(in);
        in >> mass >> center[0] >> center[1] >> center[2];
        for (int i = 0; i < 9; ++i) in >> about(i / 3, i % 3);
        const JointIndex id = model.addJoint(parent, joint_of(kind, axis), place, "j" + std::to_string(k));
        model.appendBodyToJoint(id, Inertia(mass, center, about), SE3::Identity());
    }
    in >> followers;
    for (int k = 0; k < followers; ++k) {
        int leader, follower;
        double factor, offset;
        in >> leader >> follower >> factor >> offset;
#ifndef DERIVATIVES
        Model with;
        transformJointIntoMimic(model, leader, follower, factor, offset, with);
        model = with;
#endif
    }
    peer->data = Data(model);
    return peer;
}

extern "C" __attribute__((visibility("default"))) void
peer_states(void *opened, long states, const double *q, const double *v, const double *u)
{
    Peer *peer = static_cast<Peer *>(opened);
    const int nq = peer->model.nq, nv = peer->model.nv;
    peer->states = states;
    for (long k = 0; k < states; ++k) {
        peer->q.push_back(Eigen::Map<const Eigen::VectorXd>(q + k * nq, nq));
        peer->v.push_back(Eigen::Map<const Eigen::VectorXd>(v + k * nv, nv));
        peer->u.push_back(Eigen::Map<const Eigen::VectorXd>(u + k * nv, nv));
    }
}

/* Seconds that the calls of a function take together; below zero where there is no such function. */
extern "C" __attribute__((visibility("default"))) double peer_spent(void *opened, int function, long calls)
{
    Peer *peer = static_cast<Peer *>(opened);
    const Model &model = peer->model;
    Data &data = peer->data;
    const auto &q = peer->q, &v = peer->v, &u = peer->u;
    const double start = now();
    switch (function) {
#ifdef DERIVATIVES
    case 0: CALLS(calls, computeRNEADerivatives(model, data, q[k], v[k], u[k]))
    case 1: CALLS(calls, computeABADerivatives(model, data, q[k], v[k], u[k]))
    case 2: CALLS(calls, ComputeRNEASecondOrderDerivatives(model, data, q[k], v[k], u[k]))
#else
    case 0: CALLS(calls, rnea(model, data, q[k], v[k], u[k]))
    case 1: CALLS(calls, aba(model, data, q[k], v[k], u[k], Convention::LOCAL))
    case 2: CALLS(calls, aba(model, data, q[k], v[k], u[k], Convention::WORLD))
    case 3: CALLS(calls, crba(model, data, q[k], Convention::LOCAL))
    case 4: CALLS(calls, crba(model, data, q[k], Convention::WORLD))
#endif
    default: return -1;
    }
    return now() - start;
}

/* What the last call left: forces, accelerations, or the upper triangle of the mass matrix. */
extern "C" __attribute__((visibility("default"))) void peer_result(void *opened, int kind, double *result)
{
    const Data &data = static_cast<Peer *>(opened)->data;
    const int nv = static_cast<Peer *>(opened)->model.nv;
    if (kind == 0) Eigen::Map<Eigen::VectorXd>(result, nv) = data.tau;
    if (kind == 1) Eigen::Map<Eigen::VectorXd>(result, nv) = data.ddq;
    if (kind == 2) Eigen::Map<Eigen::MatrixXd>(result, nv, nv) = data.M;
}
