(system (name "spherical_pendulum")
  (gravity 0 0 -9.81)
  (rx "roll" ry "pitch" tz -1 (name "bob") (mass 1))
  (start (q ("pitch" 0.5)) (v ("roll" 1.8265168839074217)) (duration 10)))
