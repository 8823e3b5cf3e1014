(system (name "gyroscope")
  (gravity 0 0 -9.81)
  (rz "precession" ry "nutation" rz "spin" tz 0.1 (name "disc") (mass 1 0.0025 0.0025 0.005))
  (start (q ("nutation" 1)) (v ("precession" 1.3173768479647892) ("spin" 150)) (duration 10)))
