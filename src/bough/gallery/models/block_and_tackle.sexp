(system (name "block_and_tackle")
  (gravity 0 0 -9.81)
  (tz 0 (name "upper block"))
  (tz -3 tz "lift" (name "lower block") (mass 100))
  (tx 0.5 tz "fall" (name "weight") (mass 25.5))
  (tx 0.5 tz 0 (name "sheave"))
  (string
    "upper block"
    "weight"
    (name "rope")
    (length 13)
    (via "lower block" "upper block" "lower block" "upper block" "sheave"))
  (joint-limit "lift" (name "stop") (upper 2.7))
  (start (q ("fall" -0.5)) (duration 10)))
