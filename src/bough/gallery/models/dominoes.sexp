(system (name "dominoes")
  (gravity 0 0 -9.81)
  (tx "place0_tx" ty "place0_ty" tz "place0_tz" ball "place0" (name "tile0") (mass 0.01 2.4e-06 1.966875e-06 5.26875e-07))
  (tx "place1_tx" ty "place1_ty" tz "place1_tz" ball "place1" (name "tile1") (mass 0.01 2.4e-06 1.966875e-06 5.26875e-07))
  (tx "place2_tx" ty "place2_ty" tz "place2_tz" ball "place2" (name "tile2") (mass 0.01 2.4e-06 1.966875e-06 5.26875e-07))
  (plane-contact
    "tile0"
    "world"
    (name "floor0")
    (points (-0.00375 -0.012 -0.024) (-0.00375 -0.012 0.024) (-0.00375 0.012 -0.024) (-0.00375 0.012 0.024) (0.00375 -0.012 -0.024) (0.00375 -0.012 0.024) (0.00375 0.012 -0.024) (0.00375 0.012 0.024))
    (friction 0.3))
  (plane-contact
    "tile1"
    "world"
    (name "floor1")
    (points (-0.00375 -0.012 -0.024) (-0.00375 -0.012 0.024) (-0.00375 0.012 -0.024) (-0.00375 0.012 0.024) (0.00375 -0.012 -0.024) (0.00375 -0.012 0.024) (0.00375 0.012 -0.024) (0.00375 0.012 0.024))
    (friction 0.3))
  (shape-contact
    "tile0"
    (name "pair1")
    (shape ("kind" "box") ("size" (0.0075 0.024 0.048)))
    (against "tile1")
    (against-shape ("kind" "box") ("size" (0.0075 0.024 0.048)))
    (friction 0.3))
  (plane-contact
    "tile2"
    "world"
    (name "floor2")
    (points (-0.00375 -0.012 -0.024) (-0.00375 -0.012 0.024) (-0.00375 0.012 -0.024) (-0.00375 0.012 0.024) (0.00375 -0.012 -0.024) (0.00375 -0.012 0.024) (0.00375 0.012 -0.024) (0.00375 0.012 0.024))
    (friction 0.3))
  (shape-contact
    "tile1"
    (name "pair2")
    (shape ("kind" "box") ("size" (0.0075 0.024 0.048)))
    (against "tile2")
    (against-shape ("kind" "box") ("size" (0.0075 0.024 0.048)))
    (friction 0.3))
  (shape "tile0" "box" (size 0.0075 0.024 0.048))
  (shape "tile1" "box" (size 0.0075 0.024 0.048))
  (shape "tile2" "box" (size 0.0075 0.024 0.048))
  (start
    (q ("place0_tx" 0) ("place1_tx" 0.0285) ("place2_tx" 0.057) ("place0_tz" 0.024) ("place1_tz" 0.024) ("place2_tz" 0.024))
    (v ("place0_wy" 4) ("place0_tx" 0.096) ("place0_tz" 0.015))
    (duration 10)
    (dt 0.002)))
