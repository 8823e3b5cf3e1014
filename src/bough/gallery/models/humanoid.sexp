(system (name "humanoid")
  (gravity 0 0 0)
  (tz 0.9275 tx "pelvis_tx" ty "pelvis_ty" tz "pelvis_tz" rz "pelvis_rz"
    (ry "pelvis_ry" rx "pelvis_rx" (name "root")
      (tz 0.035 (name "pelvis") (mass 9.94 0.07407370833333334 0.07407370833333334 0.09741200000000001))
      (tz 0.08750000000000001 ry "waist_ry" rx "waist_rx" rz "waist_rz" (name "waist")
        (tz 0.08750000000000001 (name "abdomen") (mass 9.73 0.06673538411458334 0.06673538411458334 0.0838072265625))
        (tz 0.17500000000000002 ry "back_ry" rx "back_rx" rz "back_rz" (name "back")
          (tz 0.14875000000000002 (name "chest") (mass 15.12 0.19515628125000004 0.19515628125000004 0.16727681250000004))
          (tz 0.29750000000000004 ry "neck_ry" rx "neck_rx" rz "neck_rz" (name "neck")
            (tz 0.13125 (name "head") (mass 5.67 0.0434109375 0.0434109375 0.021705468750000005))
            (tz 0.2625))
          (tz 0.24500000000000002 ty 0.20125 (name "left shoulder")
            (ry "left_shoulder_ry" rx "left_shoulder_rx" rz "left_shoulder_rz"
              (tz -0.14875000000000002 (name "left upper arm") (mass 1.96 0.015182323333333338 0.015182323333333338 0.001452605))
              (tz -0.29750000000000004 ry "left_elbow" (name "left elbow")
                (rz "left_forearm_twist"
                  (tz -0.13125 (name "left forearm") (mass 1.12 0.006679067500000001 0.006679067500000001 0.0004956350000000001))
                  (tz -0.2625 ry "left_wrist_ry" rx "left_wrist_rx" (name "left wrist")
                    (tz -0.07 (name "left hand") (mass 0.42 0.0007583515625000001 0.0007583515625000001 0.00014470312499999997))
                    (tz -0.14))))))
          (tz 0.24500000000000002 ty -0.20125 (name "right shoulder")
            (ry "right_shoulder_ry" rx "right_shoulder_rx" rz "right_shoulder_rz"
              (tz -0.14875000000000002 (name "right upper arm") (mass 1.96 0.015182323333333338 0.015182323333333338 0.001452605))
              (tz -0.29750000000000004 ry "right_elbow" (name "right elbow")
                (rz "right_forearm_twist"
                  (tz -0.13125 (name "right forearm") (mass 1.12 0.006679067500000001 0.006679067500000001 0.0004956350000000001))
                  (tz -0.2625 ry "right_wrist_ry" rx "right_wrist_rx" (name "right wrist")
                    (tz -0.07 (name "right hand") (mass 0.42 0.0007583515625000001 0.0007583515625000001 0.00014470312499999997))
                    (tz -0.14))))))))
      (ty 0.09625 (name "left hip")
        (ry "left_hip_ry" rx "left_hip_rx" rz "left_hip_rz"
          (tz -0.21437499999999998 (name "left thigh") (mass 7 0.11580716145833331 0.11580716145833331 0.017150000000000002))
          (tz -0.42874999999999996 ry "left_knee" (name "left knee")
            (tz -0.21437499999999998 (name "left shank") (mass 3.255 0.051679702812499985 0.051679702812499985 0.0036334954687500002))
            (tz -0.42874999999999996 ry "left_ankle_ry" rx "left_ankle_rx" (name "left ankle")
              (tz -0.035
                (tx 0.08750000000000001 (name "left foot") (mass 0.84 0.0005145000000000001 0.002401 0.002401))
                (tx 0.17500000000000002 ry "left_toes"
                  (tx 0.035 (name "left toes") (mass 0.17500000000000002 6.0292968749999996e-05 0.00010160481770833333 0.00010160481770833333))
                  (tx 0.07)))))))
      (ty -0.09625 (name "right hip")
        (ry "right_hip_ry" rx "right_hip_rx" rz "right_hip_rz"
          (tz -0.21437499999999998 (name "right thigh") (mass 7 0.11580716145833331 0.11580716145833331 0.017150000000000002))
          (tz -0.42874999999999996 ry "right_knee" (name "right knee")
            (tz -0.21437499999999998 (name "right shank") (mass 3.255 0.051679702812499985 0.051679702812499985 0.0036334954687500002))
            (tz -0.42874999999999996 ry "right_ankle_ry" rx "right_ankle_rx" (name "right ankle")
              (tz -0.035
                (tx 0.08750000000000001 (name "right foot") (mass 0.84 0.0005145000000000001 0.002401 0.002401))
                (tx 0.17500000000000002 ry "right_toes"
                  (tx 0.035 (name "right toes") (mass 0.17500000000000002 6.0292968749999996e-05 0.00010160481770833333 0.00010160481770833333))
                  (tx 0.07)))))))))
  (configuration-spring "waist_ry" (name "waist_ry spring") (stiffness 70))
  (configuration-spring "waist_rx" (name "waist_rx spring") (stiffness 70))
  (configuration-spring "waist_rz" (name "waist_rz spring") (stiffness 70))
  (configuration-spring "back_ry" (name "back_ry spring") (stiffness 70))
  (configuration-spring "back_rx" (name "back_rx spring") (stiffness 70))
  (configuration-spring "back_rz" (name "back_rz spring") (stiffness 70))
  (configuration-spring "neck_ry" (name "neck_ry spring") (stiffness 70))
  (configuration-spring "neck_rx" (name "neck_rx spring") (stiffness 70))
  (configuration-spring "neck_rz" (name "neck_rz spring") (stiffness 70))
  (configuration-spring "left_shoulder_ry" (name "left_shoulder_ry spring") (stiffness 70))
  (configuration-spring
    "left_shoulder_rx"
    (name "left_shoulder_rx spring")
    (stiffness 70)
    (rest 0.3))
  (configuration-spring "left_shoulder_rz" (name "left_shoulder_rz spring") (stiffness 70))
  (configuration-spring "left_elbow" (name "left_elbow spring") (stiffness 70) (rest -0.6))
  (configuration-spring
    "left_forearm_twist"
    (name "left_forearm_twist spring")
    (stiffness 1.4000000000000001))
  (configuration-spring
    "left_wrist_ry"
    (name "left_wrist_ry spring")
    (stiffness 1.4000000000000001))
  (configuration-spring
    "left_wrist_rx"
    (name "left_wrist_rx spring")
    (stiffness 1.4000000000000001))
  (configuration-spring "right_shoulder_ry" (name "right_shoulder_ry spring") (stiffness 70))
  (configuration-spring
    "right_shoulder_rx"
    (name "right_shoulder_rx spring")
    (stiffness 70)
    (rest -0.3))
  (configuration-spring "right_shoulder_rz" (name "right_shoulder_rz spring") (stiffness 70))
  (configuration-spring "right_elbow" (name "right_elbow spring") (stiffness 70) (rest -0.6))
  (configuration-spring
    "right_forearm_twist"
    (name "right_forearm_twist spring")
    (stiffness 1.4000000000000001))
  (configuration-spring
    "right_wrist_ry"
    (name "right_wrist_ry spring")
    (stiffness 1.4000000000000001))
  (configuration-spring
    "right_wrist_rx"
    (name "right_wrist_rx spring")
    (stiffness 1.4000000000000001))
  (configuration-spring "left_hip_ry" (name "left_hip_ry spring") (stiffness 70) (rest -0.4))
  (configuration-spring "left_hip_rx" (name "left_hip_rx spring") (stiffness 70))
  (configuration-spring "left_hip_rz" (name "left_hip_rz spring") (stiffness 70))
  (configuration-spring "left_knee" (name "left_knee spring") (stiffness 70) (rest 0.5))
  (configuration-spring
    "left_ankle_ry"
    (name "left_ankle_ry spring")
    (stiffness 1.4000000000000001))
  (configuration-spring
    "left_ankle_rx"
    (name "left_ankle_rx spring")
    (stiffness 1.4000000000000001))
  (configuration-spring "left_toes" (name "left_toes spring") (stiffness 1.4000000000000001))
  (configuration-spring "right_hip_ry" (name "right_hip_ry spring") (stiffness 70) (rest -0.4))
  (configuration-spring "right_hip_rx" (name "right_hip_rx spring") (stiffness 70))
  (configuration-spring "right_hip_rz" (name "right_hip_rz spring") (stiffness 70))
  (configuration-spring "right_knee" (name "right_knee spring") (stiffness 70) (rest 0.5))
  (configuration-spring
    "right_ankle_ry"
    (name "right_ankle_ry spring")
    (stiffness 1.4000000000000001))
  (configuration-spring
    "right_ankle_rx"
    (name "right_ankle_rx spring")
    (stiffness 1.4000000000000001))
  (configuration-spring "right_toes" (name "right_toes spring") (stiffness 1.4000000000000001))
  (shape "pelvis" "ellipsoid" (size 0.11200000000000002 0.15400000000000003 0.1225))
  (shape "abdomen" "ellipsoid" (size 0.09843750000000001 0.13125 0.09275000000000001))
  (shape "chest" "ellipsoid" (size 0.11156250000000001 0.14875000000000002 0.15767500000000004))
  (shape "head" "ellipsoid" (size 0.065625 0.08750000000000001 0.13912500000000003))
  (shape "left upper arm" "capsule" (size 0.0385 0.25900000000000006))
  (shape "left forearm" "capsule" (size 0.029750000000000002 0.23275))
  (shape "left hand" "capsule" (size 0.02625 0.11375000000000002))
  (shape "right upper arm" "capsule" (size 0.0385 0.25900000000000006))
  (shape "right forearm" "capsule" (size 0.029750000000000002 0.23275))
  (shape "right hand" "capsule" (size 0.02625 0.11375000000000002))
  (shape "left thigh" "capsule" (size 0.07 0.35874999999999996))
  (shape "left shank" "capsule" (size 0.04725 0.38149999999999995))
  (shape "left foot" "box" (size 0.19250000000000003 0.07 0.035))
  (shape "left toes" "box" (size 0.07700000000000001 0.0525 0.02625))
  (shape "right thigh" "capsule" (size 0.07 0.35874999999999996))
  (shape "right shank" "capsule" (size 0.04725 0.38149999999999995))
  (shape "right foot" "box" (size 0.19250000000000003 0.07 0.035))
  (shape "right toes" "box" (size 0.07700000000000001 0.0525 0.02625))
  (start
    (q ("left_elbow" -0.6) ("right_elbow" -0.6) ("left_knee" 0.5) ("right_knee" 0.5) ("left_hip_ry" -0.4) ("right_hip_ry" -0.4) ("left_shoulder_rx" 0.3) ("right_shoulder_rx" -0.3))
    (v ("pelvis_rz" 0.6) ("left_shoulder_ry" -2) ("right_shoulder_ry" 2) ("left_hip_ry" 0.3))
    (duration 10)))
