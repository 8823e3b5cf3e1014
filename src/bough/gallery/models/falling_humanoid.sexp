(system (name "falling_humanoid")
  (gravity 0 0 -9.81)
  (tz 0.9625 tx "pelvis_tx" ty "pelvis_ty" tz "pelvis_tz" ball "pelvis" (name "root") (mass 9.94 0.07407370833333334 0.097412 0.07407370833333334)
    (tz 0.0875 ball "waist"
      (tz 0.23625 (name "trunk") (mass 24.85 0.56934650390625 0.56934650390625 0.2140400390625))
      (tz 0.4725
        (ball "neck"
          (tz 0.13125 (name "head") (mass 5.67 0.0434109375 0.0434109375 0.02170546875)))
        (tz -0.0525 ty 0.20125 (name "left shoulder")
          (ball "left_shoulder"
            (tz -0.14875 (name "left upper arm") (mass 1.96 0.015182323333333338 0.015182323333333338 0.001452605))
            (tz -0.2975 ry "left_elbow"
              (tz -0.175 (name "left forearm") (mass 1.54 0.016061582395833333 0.016061582395833333 0.000681498125))
              (tz -0.35))))))
    (ty 0.09625 (name "left hip")
      (ball "left_hip"
        (tz -0.214375 (name "left thigh") (mass 7 0.11580716145833331 0.11580716145833331 0.01715))
        (tz -0.42875 ry "left_knee"
          (tz -0.214375 (name "left shank") (mass 3.255 0.0516797028125 0.0516797028125 0.00363349546875))
          (tz -0.42875 ry "left_ankle" tx 0.06125 tz -0.035 (name "left foot") (mass 1.015 0.0006216875 0.005387958333333335 0.005387958333333335))))))
  (at "#9"
    (tz -0.0525 ty -0.20125 (name "right shoulder")
      (ball "right_shoulder"
        (tz -0.14875 (name "right upper arm") (mass 1.96 0.015182323333333338 0.015182323333333338 0.001452605))
        (tz -0.2975 ry "right_elbow"
          (tz -0.175 (name "right forearm") (mass 1.54 0.016061582395833333 0.016061582395833333 0.000681498125))
          (tz -0.35)))))
  (at "root"
    (ty -0.09625 (name "right hip")
      (ball "right_hip"
        (tz -0.214375 (name "right thigh") (mass 7 0.11580716145833331 0.11580716145833331 0.01715))
        (tz -0.42875 ry "right_knee"
          (tz -0.214375 (name "right shank") (mass 3.255 0.0516797028125 0.0516797028125 0.00363349546875))
          (tz -0.42875 ry "right_ankle" tx 0.06125 tz -0.035 (name "right foot") (mass 1.015 0.0006216875 0.005387958333333335 0.005387958333333335))))))
  (configuration-spring "left_elbow" (name "left_elbow spring") (stiffness 35))
  (configuration-spring "right_elbow" (name "right_elbow spring") (stiffness 35))
  (configuration-spring "left_knee" (name "left_knee spring") (stiffness 35))
  (configuration-spring "left_ankle" (name "left_ankle spring") (stiffness 7))
  (configuration-spring "right_knee" (name "right_knee spring") (stiffness 35))
  (configuration-spring "right_ankle" (name "right_ankle spring") (stiffness 7))
  (torsion-spring "#6" "#7" (name "waist spring") (stiffness 35))
  (torsion-spring "#9" "#10" (name "neck spring") (stiffness 35))
  (torsion-spring "left shoulder" "#14" (name "left_shoulder spring") (stiffness 35))
  (torsion-spring "left hip" "#21" (name "left_hip spring") (stiffness 35))
  (torsion-spring "right shoulder" "#32" (name "right_shoulder spring") (stiffness 35))
  (torsion-spring "right hip" "#39" (name "right_hip spring") (stiffness 35))
  (damping
    ("left_elbow" 7) ("right_elbow" 7) ("left_knee" 7) ("left_ankle" 1.4) ("right_knee" 7) ("right_ankle" 1.4) ("waist" 7) ("neck" 7) ("left_shoulder" 7) ("left_hip" 7) ("right_shoulder" 7) ("right_hip" 7))
  (joint-limit "left_knee" (name "left knee stop") (lower 0) (upper 2.4))
  (joint-limit "left_elbow" (name "left elbow stop") (lower -2.4) (upper 0))
  (joint-limit "right_knee" (name "right knee stop") (lower 0) (upper 2.4))
  (joint-limit "right_elbow" (name "right elbow stop") (lower -2.4) (upper 0))
  (contact-group
    "root" "trunk" "head" "left upper arm" "left forearm" "left thigh" "left shank" "left foot" "right upper arm" "right forearm" "right thigh" "right shank" "right foot" "world"
    (name "touch")
    (friction 0.6)
    (shapes (map ("kind" "capsule") ("size" (0.105 0.105)) ("pose" ((1 0 0 0) (0 0 -1 0) (0 1 0 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.13125 0.34125)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "sphere") ("size" (0.09625)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.0385 0.259)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.02975 0.32025)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.07 0.35875)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.04725 0.3815)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.035 0.175)) ("pose" ((0 0 1 0) (0 1 0 0) (-1 0 0 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.0385 0.259)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.02975 0.32025)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.07 0.35875)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.04725 0.3815)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))) (map ("kind" "capsule") ("size" (0.035 0.175)) ("pose" ((0 0 1 0) (0 1 0 0) (-1 0 0 0) (0 0 0 1)))) (map ("kind" "plane") ("size" (0 0)) ("pose" ((1 0 0 0) (0 1 0 0) (0 0 1 0) (0 0 0 1)))))
    (pairs (0 13) (1 5) (1 6) (1 7) (1 10) (1 11) (1 12) (1 13) (2 5) (2 6) (2 7) (2 10) (2 11) (2 12) (2 13) (3 5) (3 6) (3 7) (3 10) (3 11) (3 12) (3 13) (4 5) (4 6) (4 7) (4 10) (4 11) (4 12) (4 13) (5 8) (5 9) (5 10) (5 11) (5 12) (5 13) (6 8) (6 9) (6 10) (6 11) (6 12) (6 13) (7 8) (7 9) (7 10) (7 11) (7 12) (7 13) (8 10) (8 11) (8 12) (8 13) (9 10) (9 11) (9 12) (9 13) (10 13) (11 13) (12 13)))
  (shape "root" "capsule" (size 0.105 0.105) (pose (1 0 0 0) (0 0 -1 0) (0 1 0 0) (0 0 0 1)))
  (shape "trunk" "capsule" (size 0.13125 0.34125))
  (shape "head" "sphere" (size 0.09625))
  (shape "left upper arm" "capsule" (size 0.0385 0.259))
  (shape "left forearm" "capsule" (size 0.02975 0.32025))
  (shape "left thigh" "capsule" (size 0.07 0.35875))
  (shape "left shank" "capsule" (size 0.04725 0.3815))
  (shape "left foot" "capsule" (size 0.035 0.175) (pose (0 0 1 0) (0 1 0 0) (-1 0 0 0) (0 0 0 1)))
  (shape "right upper arm" "capsule" (size 0.0385 0.259))
  (shape "right forearm" "capsule" (size 0.02975 0.32025))
  (shape "right thigh" "capsule" (size 0.07 0.35875))
  (shape "right shank" "capsule" (size 0.04725 0.3815))
  (shape "right foot" "capsule" (size 0.035 0.175) (pose (0 0 1 0) (0 1 0 0) (-1 0 0 0) (0 0 0 1)))
  (shape "world" "plane" (size 0 0) (color 0.9 0.92 0.94 1))
  (start
    (q ("pelvis_qw" 0.9982005399352042) ("pelvis_qx" 0) ("pelvis_qy" 0.059964006479444595) ("pelvis_qz" 0) ("left_knee" 0.3) ("right_knee" 0.2) ("left_elbow" -0.4) ("right_elbow" -0.6))
    (v ("pelvis_wx" 0.3) ("pelvis_wy" 0.3))
    (duration 10)
    (dt 0.005)))
