// A model with the variations of its numbers by parameters.
#pragma once

#include "bough/dynamics/parameter_gradient.hpp"

struct VariedModel {
  const bough::Model& model;
  bough::ParameterVariations variations;
};
