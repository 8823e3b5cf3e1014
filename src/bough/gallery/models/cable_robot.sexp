(system (name "cable_robot")
  (gravity 0 0 -9.81)
  (tx "x" tz "z" ry "tilt" (name "platform") (mass 5 0.15 0.15 0.15))
  (tx -2 tz 3 (name "nw corner"))
  (at "platform"
    (tx -0.3 tz 0.06 (name "nw eye")))
  (tx 2 tz 3 (name "ne corner"))
  (at "platform"
    (tx 0.3 tz 0.06 (name "ne eye")))
  (tx -2 tz 0 (name "sw corner"))
  (at "platform"
    (tx -0.3 tz -0.06 (name "sw eye")))
  (tx 2 tz 0 (name "se corner"))
  (at "platform"
    (tx 0.3 tz -0.06 (name "se eye")))
  (string "nw corner" "nw eye" (name "nw cable") (length (K "nw_cable")))
  (string "ne corner" "ne eye" (name "ne cable") (length (K "ne_cable")))
  (string "sw corner" "sw eye" (name "sw cable") (length (K "sw_cable")))
  (string "se corner" "se eye" (name "se cable") (length (K "se_cable")))
  (damping ("x" 1) ("z" 1) ("tilt" 0.1) (name "air"))
  (shape "platform" "box" (size 0.6 0.06 0.12))
  (start
    (q ("z" 1.5) ("nw_cable" 2.2279138223908035) ("ne_cable" 2.2279138223908035) ("sw_cable" 2.3393095135103437) ("se_cable" 2.3393095135103437))
    (v ("x" 1))
    (duration 10)))
