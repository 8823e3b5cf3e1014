(system (name "scissor_lift")
  (gravity 0 0 -9.81)
  (tx "slider" (name "slider") (mass 1))
  (ry "theta"
    (tx 0.5 (name "a1") (mass 1 0 0.01 0.01))
    (tx 1))
  (at "slider"
    (ry "b1"
      (tx 0.5 (name "b1") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#4"
    (ry "a2"
      (tx 0.5 (name "a2") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#7"
    (ry "b2"
      (tx 0.5 (name "b2") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#10"
    (ry "a3"
      (tx 0.5 (name "a3") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#13"
    (ry "b3"
      (tx 0.5 (name "b3") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#16"
    (ry "a4"
      (tx 0.5 (name "a4") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#19"
    (ry "b4"
      (tx 0.5 (name "b4") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#22"
    (ry "a5"
      (tx 0.5 (name "a5") (mass 1 0 0.01 0.01))
      (tx 1)))
  (at "#25"
    (ry "b5"
      (tx 0.5 (name "b5") (mass 1 0 0.01 0.01))
      (tx 1)))
  (point-constraint "a1" "b1" (name "pin1") (axes (1 0 0) (0 0 1)))
  (point-constraint "a2" "b2" (name "pin2") (axes (1 0 0) (0 0 1)))
  (point-constraint "a3" "b3" (name "pin3") (axes (1 0 0) (0 0 1)))
  (point-constraint "a4" "b4" (name "pin4") (axes (1 0 0) (0 0 1)))
  (point-constraint "a5" "b5" (name "pin5") (axes (1 0 0) (0 0 1)))
  (start
    (q ("slider" 0.8253356149096783) ("theta" 0.6) ("b1" 2.541592653589793) ("a2" 1.9415926535897932) ("b2" -1.9415926535897932) ("a3" -1.9415926535897932) ("b3" 1.9415926535897932) ("a4" 1.9415926535897932) ("b4" -1.9415926535897932) ("a5" -1.9415926535897932) ("b5" 1.9415926535897932))
    (duration 10)))
