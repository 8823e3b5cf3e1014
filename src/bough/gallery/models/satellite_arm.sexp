(system (name "satellite_arm")
  (gravity 0 0 0)
  (tx "base_tx" ty "base_ty" tz "base_tz" ball "base" (name "base") (mass 100 16.666666666666668 16.666666666666668 16.666666666666668)
    (tx 0.5 (name "mount")
      (rz "shoulder_yaw" ry "shoulder_pitch" (name "shoulder")
        (tx 0.5 (name "upper arm") (mass 10 0.0125 0.8395833333333335 0.8395833333333335))
        (tx 1 ry "elbow" (name "elbow")
          (tx 0.5 (name "forearm") (mass 10 0.0125 0.8395833333333335 0.8395833333333335))
          (tx 1 (name "hand"))))))
  (configuration-force "shoulder_yaw" (name "shoulder_yaw motor") (value "shoulder_yaw_torque"))
  (configuration-force
    "shoulder_pitch"
    (name "shoulder_pitch motor")
    (value "shoulder_pitch_torque"))
  (configuration-force "elbow" (name "elbow motor") (value "elbow_torque"))
  (start
    (q ("shoulder_pitch" -0.6) ("elbow" 1.2))
    (v ("shoulder_yaw" 0.3) ("shoulder_pitch" 0.2) ("elbow" -0.4))
    (duration 10)))
