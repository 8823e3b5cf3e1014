(system (name "rolling_disk")
  (gravity 0 0 -9.81)
  (tx "x" ty "y" tz "z" rz "yaw" rx "lean" ry "roll" (name "disk") (mass 1 0.0625 0.125 0.0625))
  (rolling "disk" (name "plane") (radius 0.5) (axis 0 1 0))
  (shape "disk" "cylinder" (size 0.5 0.02) (pose (1 0 0 0) (0 0 1 0) (0 -1 0 0) (0 0 0 1)))
  (start
    (q ("z" 0.4900332889206208) ("lean" 0.2))
    (v ("x" 3.0298003996192593) ("yaw" 0.3) ("roll" 6))
    (duration 10)))
