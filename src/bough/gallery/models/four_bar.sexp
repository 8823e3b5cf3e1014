(system (name "four_bar")
  (gravity 0 0 -9.81)
  (ry "crank"
    (tz -0.3 (name "crank pin")
      (ry "coupler")))
  (tx 1 (name "pivot")
    (ry "rocker"))
  (at "#1"
    (tz -0.15 (name "crank") (mass 0.3 0.00225 0.00225 0)))
  (at "#3"
    (tz -0.5 (name "coupler") (mass 1 0.08333333333333333 0.08333333333333333 0)))
  (at "#5"
    (tz -0.4 (name "rocker") (mass 0.8 0.04266666666666668 0.04266666666666668 0)))
  (at "#3"
    (tz -1 (name "coupler end")))
  (at "#5"
    (tz -0.8 (name "rocker end")))
  (point-constraint "coupler end" "rocker end" (name "loop") (axes (1 0 0) (0 0 1)))
  (start
    (q ("crank" 0) ("coupler" -1.059075982226674) ("rocker" 0.16081300097714113))
    (v ("crank" 12) ("coupler" -12.613841541083659) ("rocker" 4.178178403522337))
    (duration 10)
    (dt 0.005)))
