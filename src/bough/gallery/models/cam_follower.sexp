(system (name "cam_follower")
  (gravity 0 0 -9.81)
  (ry "cam" (name "cam") (mass 2 0.05 0.05 0.05))
  (tz "follower" (name "follower") (mass 0.5))
  (configuration-spring "follower" (name "spring") (stiffness 2000) (rest -0.02))
  (cam-constraint
    "follower"
    "cam"
    (name "profile")
    (profile (sinusoid (amplitude 0.01) (frequency 1) (phase -1.5707963267948966) (mean 0.01))))
  (start (v ("cam" 12)) (duration 10)))
