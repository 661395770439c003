// C of CasADi for Pinocchio's algorithms on a model that is written joint by joint.
// First, so that the algorithms know its scalar.
#include <pinocchio/autodiff/casadi.hpp>
#include "pinocchio.cpp"

using ::casadi::SX;
typedef ModelTpl<SX> SymbolicModel;
typedef DataTpl<SX> SymbolicData;
typedef SymbolicModel::ConfigVectorType Vector;

static Vector entries(const SX &x)
{
    Vector v(x.size1());
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = x(i);
    return v;
}

template <typename M> static SX column(const Eigen::MatrixBase<M> &m)
{
    SX x = SX::zeros(m.rows(), 1);
    for (Eigen::Index i = 0; i < m.rows(); ++i) x(i) = m(i, 0);
    return x;
}

template <typename M> static SX symmetric(const Eigen::MatrixBase<M> &m)
{
    SX x = SX::zeros(m.rows(), m.cols());
    for (Eigen::Index j = 0; j < m.cols(); ++j)
        for (Eigen::Index i = 0; i <= j; ++i) x(i, j) = x(j, i) = m(i, j);
    return x;
}

/* Writes NAME.c into a directory, which ends in a slash; without mass matrix and forward dynamics if only the first
   function is asked for. What is returned is empty, or says what went wrong. */
extern "C" __attribute__((visibility("default"))) const char *
peer_write(const char *path, const char *directory, const char *name, int cse, int every)
{
    static std::string told;
    told.clear();
    try {
        Peer *peer = static_cast<Peer *>(peer_open(path));
        SymbolicModel model = peer->model.cast<SX>();
        SymbolicData data(model);
        const SX cq = SX::sym("q", model.nq), cv = SX::sym("v", model.nv), cu = SX::sym("u", model.nv);
        const Vector q = entries(cq), v = entries(cv), u = entries(cu);
        ::casadi::Dict options;
        options["cse"] = bool(cse);
        ::casadi::CodeGenerator text{std::string(name) + ".c"};
        rnea(model, data, q, v, u);
        text.add(::casadi::Function("f0", {cq, cv, cu}, {SX::densify(column(data.tau))}, options));
        crba(model, data, q, Convention::LOCAL);
        text.add(::casadi::Function("f2", {cq, cv, cu}, {SX::densify(symmetric(data.M))}, options));
        if (every) {
            aba(model, data, q, v, u, Convention::LOCAL);
            text.add(::casadi::Function("f1", {cq, cv, cu}, {SX::densify(column(data.ddq))}, options));
        }
        text.generate(directory);
        delete peer;
    } catch (const std::exception &error) {
        told = error.what();
    }
    return told.c_str();
}
