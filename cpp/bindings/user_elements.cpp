// Elements written in Python. Each class calls methods of one Python object (src/bough/_user_element.py), which checks
// shapes and fills in derivatives that the user did not give. What Python raises travels through the core as an
// exception and leaves it as what it was.
#include "bindings/user_elements.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "bindings/arrays.hpp"
#include "bough/tree/element_derivatives.hpp"
#include "bough/tree/model.hpp"
#include "bough/tree/unilateral.hpp"

namespace bough {
namespace {

// While Python runs, the kernels that it calls have scratch memory of their own: the poses of the caller stay as they are.
class PythonScope {
 private:
  nb::gil_scoped_acquire gil_;
  WorkspaceScope scratch_;
};

// A Python object that may be let go of without the GIL.
class Handler {
 public:
  explicit Handler(nb::object object) : object_(std::move(object)) {}
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  ~Handler() {
    nb::gil_scoped_acquire gil;
    object_.reset();
  }

  PyObject* object() const { return object_.ptr(); }
  void clear() { object_.reset(); }

  // method(q, v, u, t), v and u None where the instant has none
  nb::object call(const char* method, const Instant& at) const {
    if (!object_.is_valid()) throw std::logic_error("an element of a model that was collected");
    const std::size_t n = at.model.n_variables, nu = at.model.elements.n_inputs;
    return object_.attr(method)(vector(at.q, n), vector(at.v, n), vector(at.u, nu), at.t);
  }

  // The numbers that a method returns, `size` of them.
  template <class F>
  void read(const char* method, const Instant& at, std::size_t size, F f) const {
    PythonScope scope;
    const nb::object result = call(method, at);
    const In numbers = nb::cast<In>(result);
    if (numbers.size() != size) throw std::length_error(std::string(method) + " of a user's element");
    f(numbers.data());
  }

  void add(const char* method, const Instant& at, std::size_t size, double factor, double* out) const {
    read(method, at, size, [=](const double* x) {
      for (std::size_t i = 0; i < size; ++i) out[i] += factor * x[i];
    });
  }

  void copy(const char* method, const Instant& at, std::size_t size, double* out) const {
    read(method, at, size, [=](const double* x) { std::copy_n(x, size, out); });
  }

 private:
  // A copy, since Python may keep it.
  static nb::object vector(const double* x, std::size_t size) {
    if (x == nullptr) return nb::none();
    double* copy = new double[size];
    std::copy_n(x, size, copy);
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(copy, {size}, owner));
  }

  nb::object object_;
};

// Of the classes below, so that the garbage collector finds their objects.
class UserElement {
 public:
  explicit UserElement(nb::object object) : python_(std::move(object)) {}
  virtual ~UserElement() = default;

  Handler& python() const { return python_; }

 protected:
  mutable Handler python_;
};

std::size_t square(const Instant& at) { return static_cast<std::size_t>(at.model.n_variables) * at.model.n_variables; }

class UserPotential final : public Potential, public UserElement {
 public:
  using UserElement::UserElement;

  double energy(const Instant& at) const override {
    double value = 0.0;
    python_.copy("energy", at, 1, &value);
    return value;
  }
  void add_gradient(const Instant& at, double factor, double* out) const override {
    python_.add("gradient", at, at.model.n_variables, factor, out);
  }
  void add_hessian(const Instant& at, double factor, double* H) const override {
    python_.add("hessian", at, square(at), factor, H);
  }
  bool moves() const override { return true; }  // it may: what it depends on is unknown
};

class UserForce final : public Force, public ForceDerivatives, public UserElement {
 public:
  using UserElement::UserElement;

  void add_force(const Instant& at, double factor, double* out) const override {
    python_.add("force", at, at.model.n_variables, factor, out);
  }
  void add_force_dq(const Instant& at, double factor, double* H) const override {
    python_.add("force_dq", at, square(at), factor, H);
  }
  void add_force_dv(const Instant& at, double factor, double* H) const override {
    python_.add("force_dv", at, square(at), factor, H);
  }
  void add_force_du(const Instant& at, double factor, double* B) const override {
    const std::size_t size = static_cast<std::size_t>(at.model.n_variables) * at.model.elements.n_inputs;
    if (size > 0) python_.add("force_du", at, size, factor, B);
  }
  void add_force_dt(const Instant& at, double factor, double* out) const override {
    python_.add("force_dt", at, at.model.n_variables, factor, out);
  }
  bool moves() const override { return true; }  // it may: what it depends on is unknown
};

class UserConstraint final : public Constraint, public UserElement {
 public:
  UserConstraint(nb::object object, int rows) : UserElement(std::move(object)), rows_(rows) {}

  int rows() const override { return rows_; }
  void value(const Instant& at, double* h, double* scale) const override {
    python_.read("value", at, 2 * rows_, [=, this](const double* x) {
      std::copy_n(x, rows_, h);
      std::copy_n(x + rows_, rows_, scale);
    });
  }
  void gradient(const Instant& at, double* Dh) const override {
    python_.copy("gradient", at, static_cast<std::size_t>(rows_) * at.model.n_variables, Dh);
  }
  void hessian(const Instant& at, double* H) const override { python_.copy("hessian", at, rows_ * square(at), H); }
  bool moves() const override { return true; }  // it may: what it depends on is unknown
  void rate(const Instant& at, double* h_t) const override { python_.copy("rate", at, rows_, h_t); }
  void bias(const Instant& at, double* out) const override { python_.copy("bias", at, rows_, out); }

 private:
  int rows_;
};

class UserUnilateral final : public Unilateral, public UserElement {
 public:
  UserUnilateral(nb::object object, int contacts, double restitution)
      : UserElement(std::move(object)), contacts_(contacts), restitution_(restitution) {}

  int contacts() const override { return contacts_; }
  double restitution(int) const override { return restitution_; }
  void value(const ContactInstant& at, double* phi, double* scale) const override {
    python_.read("value", at, 2 * contacts_, [=, this](const double* x) {
      std::copy_n(x, contacts_, phi);
      std::copy_n(x + contacts_, contacts_, scale);
    });
  }
  void gradient(const ContactInstant& at, double* Dphi) const override {
    python_.copy("gradient", at, static_cast<std::size_t>(contacts_) * at.model.n_variables, Dphi);
  }
  void rate(const ContactInstant& at, double* phi_t) const override { python_.copy("rate", at, contacts_, phi_t); }
  bool moves() const override { return true; }  // it may: what it depends on is unknown

 private:
  int contacts_;
  double restitution_;
};

// Calls f(handler) for each element that is written in Python, until one returns something else than 0.
template <class F>
int for_user_elements(const Elements& elements, F f) {
  const auto over = [&](const auto& list) {
    for (const auto& element : list)
      if (const auto* user = dynamic_cast<const UserElement*>(element.get()))
        if (const int found = f(user->python())) return found;
    return 0;
  };
  if (const int found = over(elements.potentials)) return found;
  if (const int found = over(elements.forces)) return found;
  if (const int found = over(elements.constraints)) return found;
  return over(elements.unilaterals);
}

}  // namespace

int visit_user_elements(const Elements& elements, visitproc visit, void* arg) {
  return for_user_elements(elements, [&](Handler& python) {
    Py_VISIT(python.object());
    return 0;
  });
}

void clear_user_elements(const Elements& elements) {
  for_user_elements(elements, [](Handler& python) {
    python.clear();
    return 0;
  });
}

void add_user_element(Elements& elements, nb::object object) {
  const std::string kind = nb::cast<std::string>(object.attr("kind"));
  if (kind == "potential")
    elements.add(std::static_pointer_cast<const Potential>(std::make_shared<UserPotential>(object)));
  else if (kind == "force")
    elements.add(std::static_pointer_cast<const Force>(std::make_shared<UserForce>(object)));
  else if (kind == "unilateral")
    elements.add(std::static_pointer_cast<const Unilateral>(std::make_shared<UserUnilateral>(
        object, nb::cast<int>(object.attr("rows")), nb::cast<double>(object.attr("restitution")))));
  else
    elements.add(std::static_pointer_cast<const Constraint>(
        std::make_shared<UserConstraint>(object, nb::cast<int>(object.attr("rows")))));
}

}  // namespace bough
