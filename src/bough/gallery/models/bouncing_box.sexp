(system (name "bouncing_box")
  (gravity 0 0 -9.81)
  (tx "place_tx" ty "place_ty" tz "place_tz" ball "place" (name "box") (mass 1 0.0041666666666666675 0.008333333333333333 0.010833333333333334))
  (plane-contact
    "box"
    "world"
    (name "floor")
    (points (-0.15 -0.1 -0.05) (-0.15 -0.1 0.05) (-0.15 0.1 -0.05) (-0.15 0.1 0.05) (0.15 -0.1 -0.05) (0.15 -0.1 0.05) (0.15 0.1 -0.05) (0.15 0.1 0.05))
    (friction 0.5)
    (restitution 0.5))
  (shape "box" "box" (size 0.3 0.2 0.1))
  (start
    (q ("place_tz" 0.6))
    (v ("place_tx" 0.8) ("place_ty" 0.3) ("place_wx" 4) ("place_wy" -2) ("place_wz" 1))
    (duration 10)))
