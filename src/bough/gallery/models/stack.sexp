(system (name "stack")
  (gravity 0 0 -9.81)
  (tx "place0_tx" ty "place0_ty" tz "place0_tz" ball "place0" (name "box0") (mass 1 0.0041666666666666675 0.0041666666666666675 0.006666666666666668))
  (tx "place1_tx" ty "place1_ty" tz "place1_tz" ball "place1" (name "box1") (mass 1 0.0041666666666666675 0.0041666666666666675 0.006666666666666668))
  (tx "place2_tx" ty "place2_ty" tz "place2_tz" ball "place2" (name "box2") (mass 1 0.0041666666666666675 0.0041666666666666675 0.006666666666666668))
  (tx "place3_tx" ty "place3_ty" tz "place3_tz" ball "place3" (name "box3") (mass 1 0.0041666666666666675 0.0041666666666666675 0.006666666666666668))
  (tx "place4_tx" ty "place4_ty" tz "place4_tz" ball "place4" (name "box4") (mass 1 0.0041666666666666675 0.0041666666666666675 0.006666666666666668))
  (plane-contact
    "box0"
    "world"
    (name "layer0")
    (points (-0.1 -0.1 -0.05) (-0.1 -0.1 0.05) (-0.1 0.1 -0.05) (-0.1 0.1 0.05) (0.1 -0.1 -0.05) (0.1 -0.1 0.05) (0.1 0.1 -0.05) (0.1 0.1 0.05))
    (friction 0.5))
  (shape-contact
    "box1"
    (name "layer1")
    (shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (against "box0")
    (against-shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (friction 0.5))
  (shape-contact
    "box2"
    (name "layer2")
    (shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (against "box1")
    (against-shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (friction 0.5))
  (shape-contact
    "box3"
    (name "layer3")
    (shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (against "box2")
    (against-shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (friction 0.5))
  (shape-contact
    "box4"
    (name "layer4")
    (shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (against "box3")
    (against-shape ("kind" "box") ("size" (0.2 0.2 0.1)))
    (friction 0.5))
  (shape "box0" "box" (size 0.2 0.2 0.1))
  (shape "box1" "box" (size 0.2 0.2 0.1))
  (shape "box2" "box" (size 0.2 0.2 0.1))
  (shape "box3" "box" (size 0.2 0.2 0.1))
  (shape "box4" "box" (size 0.2 0.2 0.1))
  (start
    (q ("place0_tz" 0.07) ("place1_tz" 0.19) ("place2_tz" 0.31) ("place3_tz" 0.43) ("place4_tz" 0.55))
    (duration 10)
    (dt 0.004)))
