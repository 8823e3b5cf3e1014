(system (name "planar_human")
  (gravity 0 0 -9.81)
  (tx "x" tz "z" ry "pitch" (name "hips") (mass 9.94)
    (tz 0.0875 ry "waist"
      (tz 0.23625 (name "trunk") (mass 24.85 0.59978775390625 0.59978775390625 0.2749225390625))
      (tz 0.4725
        (ry "neck"
          (tz 0.13125 (name "head") (mass 5.67 0.0434109375 0.0434109375 0.02170546875))
          (tz 0.2625)))))
  (frame "bar")
  (at "#7"
    (ry "left_shoulder" (offset 3.141592653589793)
      (tz -0.14875 (name "left upper arm") (mass 1.96 0.015182323333333338 0.015182323333333338 0.001452605))
      (tz -0.2975 ry "left_elbow"
        (tz -0.13125 (name "left forearm") (mass 1.12 0.0066790675 0.0066790675 0.000495635))
        (tz -0.2625 frame "left hand" (mass 0.42)))))
  (at "hips"
    (ry "left_hip"
      (tz -0.214375 (name "left thigh") (mass 7 0.11580716145833331 0.11580716145833331 0.01715))
      (tz -0.42875 ry "left_knee"
        (tz -0.214375 (name "left shank") (mass 3.255 0.0516797028125 0.0516797028125 0.00363349546875))
        (tz -0.42875 ry "left_ankle"
          (tx 0.0875 (name "left foot") (mass 0.84 0.0005145 0.002401 0.002401))
          (tx 0.175)))))
  (at "#7"
    (ry "right_shoulder" (offset 3.141592653589793)
      (tz -0.14875 (name "right upper arm") (mass 1.96 0.015182323333333338 0.015182323333333338 0.001452605))
      (tz -0.2975 ry "right_elbow"
        (tz -0.13125 (name "right forearm") (mass 1.12 0.0066790675 0.0066790675 0.000495635))
        (tz -0.2625 frame "right hand" (mass 0.42)))))
  (at "hips"
    (ry "right_hip"
      (tz -0.214375 (name "right thigh") (mass 7 0.11580716145833331 0.11580716145833331 0.01715))
      (tz -0.42875 ry "right_knee"
        (tz -0.214375 (name "right shank") (mass 3.255 0.0516797028125 0.0516797028125 0.00363349546875))
        (tz -0.42875 ry "right_ankle"
          (tx 0.0875 (name "right foot") (mass 0.84 0.0005145 0.002401 0.002401))
          (tx 0.175)))))
  (point-constraint "left hand" "bar" (name "left grip") (axes (1 0 0) (0 0 1)))
  (point-constraint "right hand" "bar" (name "right grip") (axes (1 0 0) (0 0 1)))
  (configuration-spring "waist" (name "waist spring") (stiffness 210))
  (configuration-spring "neck" (name "neck spring") (stiffness 21))
  (configuration-spring "left_shoulder" (name "left_shoulder spring") (stiffness 210))
  (configuration-spring "left_elbow" (name "left_elbow spring") (stiffness 210))
  (configuration-spring "right_shoulder" (name "right_shoulder spring") (stiffness 210))
  (configuration-spring "right_elbow" (name "right_elbow spring") (stiffness 210))
  (configuration-spring "left_hip" (name "left_hip spring") (stiffness 210))
  (configuration-spring "left_knee" (name "left_knee spring") (stiffness 210))
  (configuration-spring "left_ankle" (name "left_ankle spring") (stiffness 21))
  (configuration-spring "right_hip" (name "right_hip spring") (stiffness 210))
  (configuration-spring "right_knee" (name "right_knee spring") (stiffness 210))
  (configuration-spring "right_ankle" (name "right_ankle spring") (stiffness 21))
  (shape "trunk" "ellipsoid" (size 0.1115625 0.14875 0.250425))
  (shape "head" "ellipsoid" (size 0.065625 0.0875 0.139125))
  (shape "left upper arm" "capsule" (size 0.0385 0.259))
  (shape "left forearm" "capsule" (size 0.02975 0.23275))
  (shape "left thigh" "capsule" (size 0.07 0.35875))
  (shape "left shank" "capsule" (size 0.04725 0.3815))
  (shape "left foot" "box" (size 0.1925 0.07 0.035))
  (shape "right upper arm" "capsule" (size 0.0385 0.259))
  (shape "right forearm" "capsule" (size 0.02975 0.23275))
  (shape "right thigh" "capsule" (size 0.07 0.35875))
  (shape "right shank" "capsule" (size 0.04725 0.3815))
  (shape "right foot" "box" (size 0.1925 0.07 0.035))
  (start
    (q ("x" -0.9424475029848441) ("z" -0.6051385825723166) ("pitch" 1))
    (duration 10)
    (dt 0.005)))
