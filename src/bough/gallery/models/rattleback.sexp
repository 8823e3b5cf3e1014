(system (name "rattleback")
  (gravity 0 0 -9.81)
  (tx "place_tx" ty "place_ty" tz "place_tz" ball "place" (name "boat") (mass 1) (inertia (0.0002 -2e-05 0) (-2e-05 0.0016 0) (0 0 0.0017)) (com 0 0 -0.01))
  (shape-contact
    "boat"
    (name "floor")
    (shape ("kind" "ellipsoid") ("size" (0.2 0.03 0.02)))
    (against "world")
    (against-shape ("kind" "plane") ("size" (0 0)))
    (friction 1))
  (shape "boat" "ellipsoid" (size 0.2 0.03 0.02))
  (start
    (q ("place_tz" 0.02))
    (v ("place_wx" 0.01) ("place_wy" 0.05) ("place_wz" -5))
    (duration 10)
    (dt 0.002)))
