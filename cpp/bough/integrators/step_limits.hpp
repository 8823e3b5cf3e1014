// What a step of a variational integrator is accepted by, alone and in lanes: docs/theory/variational.md.
#pragma once

namespace bough::limits {

// Newton's method: residuals relative to the size of the terms of their rows.
constexpr double exact = 1e-13;  // of a guess that needs no iteration
constexpr double exact_of_contacts =
    1e-15;                             // the same if there are contacts: what q is off by, a bounce turns into energy
constexpr double first_steps = 3e-2;   // factor on the tolerance with little history: one iteration from a rough guess
                                       // leaves more residual, so that those few steps are solved further
constexpr double f_round_off = 1e-11;  // below which one that does not fall any more is taken for round-off
constexpr double stagnation = 0.25;    // of the residual before: an iteration that leaves more gains nothing

// The choice of a root: lengths in rad, or in sizes of the system.
constexpr double max_step_from_rest = 6.283185307179586;
constexpr double rest_noise = 1e-8;               // correction by round-off in a motion that has come to rest
constexpr double skip_energy_check_below = 0.03;  // correction of a smooth step
constexpr double max_energy_jump = 0.1;           // of a rough step, relative to the kinetic energy
constexpr double peak_decay = 0.9;                // per step, of the running maximum of the kinetic energy
constexpr double correction_growth = 4.0;         // of a correction from one step to the next
constexpr double correction_of_step = 0.1;        // what may be added to it, relative to the length of a step

}  // namespace bough::limits
