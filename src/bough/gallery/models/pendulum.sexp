(system (name "pendulum")
  (gravity 0 0 -9.81)
  (ry "angle1" tz -1 (name "bob1") (mass 1))
  (start (q ("angle1" 0.8)) (duration 10)))
