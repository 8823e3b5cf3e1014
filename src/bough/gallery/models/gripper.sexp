(system (name "gripper")
  (gravity 0 0 -9.81)
  (tz 0.05 tz "lift" (name "palm") (mass 0.5 0.001 0.001 0.001))
  (tx "place_tx" ty "place_ty" tz "place_tz" ball "place" (name "cup") (mass 0.3 0.0004 0.0004 0.0003))
  (at "palm"
    (tx -0.05 tx "left" (name "left finger") (mass 0.1 3e-05 3e-05 3e-05))
    (tx 0.05 tx "right" (name "right finger") (mass 0.1 3e-05 3e-05 3e-05)))
  (shape-contact
    "cup"
    (name "table")
    (shape ("kind" "cylinder") ("size" (0.04 0.1)))
    (against "world")
    (against-shape ("kind" "plane") ("size" (0 0)))
    (friction 0.6))
  (shape-contact
    "left finger"
    (name "left pad")
    (shape ("kind" "box") ("size" (0.02 0.03 0.04)))
    (against "cup")
    (against-shape ("kind" "cylinder") ("size" (0.04 0.1)))
    (friction 0.6))
  (configuration-force "left" (value 10))
  (shape-contact
    "right finger"
    (name "right pad")
    (shape ("kind" "box") ("size" (0.02 0.03 0.04)))
    (against "cup")
    (against-shape ("kind" "cylinder") ("size" (0.04 0.1)))
    (friction 0.6))
  (configuration-force "right" (value -10))
  (configuration-force "lift" (value 9.81))
  (servo "lift" (kp 100) (kd 60) (target 0.1))
  (shape "palm" "box" (size 0.16 0.03 0.02) (pose (1 0 0 0) (0 1 0 0) (0 0 1 0.09) (0 0 0 1)))
  (shape "cup" "cylinder" (size 0.04 0.1))
  (shape "left finger" "box" (size 0.02 0.03 0.04))
  (shape "left finger" "box"
    (size 0.01 0.03 0.06)
    (pose (1 0 0 0) (0 1 0 0) (0 0 1 0.05) (0 0 0 1)))
  (shape "right finger" "box" (size 0.02 0.03 0.04))
  (shape "right finger" "box"
    (size 0.01 0.03 0.06)
    (pose (1 0 0 0) (0 1 0 0) (0 0 1 0.05) (0 0 0 1)))
  (start (q ("place_tz" 0.05)) (duration 10) (dt 0.005)))
