; A mechanism with two closed loops: Listing 1 of paper 002, word for word.
(mechanical-system (gravity 0 0 -9.81)
  (ry "J" (Name "J")
    (tz -0.5 (Name "I") (Mass 1))
    (tz -1.0
      (ry "H" (Name "H")
        (tz -1.0 (Name "G") (Mass 1))
        (tz -2.0 (Name "O2")))))
  (tx -1.5
    (ry "K" (Name "K")
      (tz -1.0 (Name "L") (Mass 1))
      (tz -2.0
        (ry "M" (Name "M")
          (tz -0.5 (Name "N") (Mass 1))
          (tz -1.0 (Name "O"))))))
  (tx 1.5
    (ry "A" (Name "A")
      (tz -1.0 (Name "B") (Mass 1))
      (tz -2.0
        (ry "C" (Name "C")
          (tz -0.375 (Name "D") (Mass 1))
          (tz -0.75
            (ry "E" (Name "E")
              (tz -0.5 (Name "F") (Mass 1))
              (tz -1.0 (Name "G2"))))))))
  (point-constaint "G" "G2" (1 0 0))
  (point-constaint "G" "G2" (0 0 1))
  (point-constaint "O" "O2" (1 0 0))
  (point-constaint "O" "O2" (0 0 1)))
