#include <nanobind/nanobind.h>

#include <cstdlib>

#if defined(_WIN32)
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

#include "bindings/arrays.hpp"
#include "bindings/user_elements.hpp"
#include "bough/tree/compile.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_kinematics(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_integrators(nb::module_& m);
void bind_step_parts(nb::module_& m);
void bind_step_derivatives(nb::module_& m);
void bind_parameters(nb::module_& m);
void bind_run_derivatives(nb::module_& m);
void bind_gauss(nb::module_& m);
void bind_adaptive(nb::module_& m);
void bind_dop853(nb::module_& m);
void bind_one_step(nb::module_& m);
void bind_maximal(nb::module_& m);
void bind_control(nb::module_& m);
void bind_optimal_control(nb::module_& m);
void bind_reduced(nb::module_& m);
void bind_reduced_stepper(nb::module_& m);
void bind_reduced_derivatives(nb::module_& m);
void bind_vectors(nb::module_& m);
void bind_contacts(nb::module_& m);
void bind_coarse_steps(nb::module_& m);
void bind_ensembles(nb::module_& m);
void read_elements(const nb::list& records, int n_inputs, bough::Model& model);

namespace {

void construct(bough::Model* self, InInt parent, InInt kind, InInt variable, In value, In ratio, In offset, In pose,
               In screw, In mass, In com, In inertia, In gravity, int n_dynamic, int n_variables, nb::list elements,
               int n_inputs) {
  const std::size_t frames = parent.size();
  need(kind, frames, 1);
  need(variable, frames, 1);
  need(value, frames, 1);
  need(ratio, frames, 1);
  need(offset, frames, 1);
  need(pose, frames, 16);
  need(screw, frames, 6);
  need(mass, frames, 1);
  need(com, frames, 3);
  need(inertia, frames, 9);
  need(gravity, 1, 3);
  const bough::FrameTable table{static_cast<int>(parent.size()),
                                parent.data(),
                                kind.data(),
                                variable.data(),
                                value.data(),
                                ratio.data(),
                                offset.data(),
                                pose.data(),
                                screw.data(),
                                mass.data(),
                                com.data(),
                                inertia.data(),
                                gravity.data(),
                                n_dynamic,
                                n_variables};
  bough::Model model = bough::compile(table);
  read_elements(elements, n_inputs, model);
  new (self) bough::Model(std::move(model));
}

// A model is known to the garbage collector: elements written in Python may lead back to it.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? bough::visit_user_elements(nb::inst_ptr<bough::Model>(self)->elements, visit, arg) : 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) bough::clear_user_elements(nb::inst_ptr<bough::Model>(self)->elements);
  return 0;
}

PyType_Slot model_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

bool has_avx2() {
#if !defined(__x86_64__)
  return false;
#elif defined(_WIN32)  // clang-cl comes without the library of the builtin
  return IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE);
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
}

}  // namespace

NB_MODULE(BOUGH_MODULE, m) {
  m.doc() = "The core of bough: compiled models and the kernels that run on them.";
  // An element of a user and its model refer to each other. Python collects such a circle while it runs, but not one of the
  // main module when it ends, and nanobind would then report a leak that is not one. Tests set BOUGH_LEAKS to see its report.
  nb::set_leak_warnings(std::getenv("BOUGH_LEAKS") != nullptr);
  nb::class_<bough::Model>(m, "Model", nb::type_slots(model_slots))
      .def("__init__", &construct, "parent"_a, "kind"_a, "variable"_a, "value"_a, "ratio"_a, "offset"_a, "pose"_a,
           "screw"_a, "mass"_a, "com"_a, "inertia"_a, "gravity"_a, "n_dynamic"_a, "n_variables"_a, "elements"_a,
           "n_inputs"_a)
      .def_prop_ro("n_coordinates", &bough::Model::n_coordinates)
      .def_prop_ro("n_joints", [](const bough::Model& model) { return model.n(); });
  bind_kinematics(m);
  bind_dynamics(m);
  bind_integrators(m);
  bind_step_parts(m);
  bind_parameters(m);
  bind_step_derivatives(m);
  bind_run_derivatives(m);
  bind_gauss(m);
  bind_adaptive(m);
  bind_dop853(m);
  bind_one_step(m);
  bind_maximal(m);
  bind_control(m);
  bind_optimal_control(m);
  bind_reduced(m);
  bind_reduced_stepper(m);
  bind_reduced_derivatives(m);
  bind_vectors(m);
  bind_contacts(m);
  bind_coarse_steps(m);
  bind_ensembles(m);
  m.def("has_avx2", &has_avx2);
}
