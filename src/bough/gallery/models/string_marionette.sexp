(system (name "string_marionette")
  (gravity 0 0 -9.81)
  (tx "pelvis_tx" ty "pelvis_ty" tz "pelvis_tz" rz "pelvis_rz" ry "pelvis_ry"
    (rx "pelvis_rx" (name "root")
      (tz 0.012 (name "pelvis") (mass 0.1704 0.0001492704 0.0001492704 0.0001963008))
      (tz 0.03 ry "waist_ry" rx "waist_rx" rz "waist_rz" (name "waist")
        (tz 0.03 (name "abdomen") (mass 0.1668 0.0001344825 0.0001344825 0.000168885))
        (tz 0.06 ry "back_ry" rx "back_rx" rz "back_rz" (name "back")
          (tz 0.051 (name "chest") (mass 0.2592 0.0003932712 0.0003932712 0.0003370896))
          (tz 0.102 ry "neck_ry" rx "neck_rx" rz "neck_rz" (name "neck")
            (tz 0.045 (name "head") (mass 0.0972 8.748e-05 8.748e-05 4.374e-05))
            (tz 0.09))
          (tz 0.084 ty 0.069 (name "left shoulder")
            (ry "left_shoulder_ry" rx "left_shoulder_rx" rz "left_shoulder_rz"
              (tz -0.051 (name "left upper arm") (mass 0.0336 3.0594816e-05 3.0594816e-05 2.927232e-06))
              (tz -0.102 ry "left_elbow" (name "left elbow")
                (rz "left_forearm_twist"
                  (tz -0.045 (name "left forearm") (mass 0.0192 1.3459392e-05 1.3459392e-05 9.98784e-07))
                  (tz -0.09 ry "left_wrist_ry" rx "left_wrist_rx" (name "left wrist")
                    (tz -0.024 (name "left hand") (mass 0.0072 1.5282e-06 1.5282e-06 2.916e-07))
                    (tz -0.048))))))
          (tz 0.084 ty -0.069 (name "right shoulder")
            (ry "right_shoulder_ry" rx "right_shoulder_rx" rz "right_shoulder_rz"
              (tz -0.051 (name "right upper arm") (mass 0.0336 3.0594816e-05 3.0594816e-05 2.927232e-06))
              (tz -0.102 ry "right_elbow" (name "right elbow")
                (rz "right_forearm_twist"
                  (tz -0.045 (name "right forearm") (mass 0.0192 1.3459392e-05 1.3459392e-05 9.98784e-07))
                  (tz -0.09 ry "right_wrist_ry" rx "right_wrist_rx" (name "right wrist")
                    (tz -0.024 (name "right hand") (mass 0.0072 1.5282e-06 1.5282e-06 2.916e-07))
                    (tz -0.048))))))))
      (ty 0.033 (name "left hip")
        (ry "left_hip_ry" rx "left_hip_rx" rz "left_hip_rz"
          (tz -0.0735 (name "left thigh") (mass 0.12 0.00023337 0.00023337 3.456e-05))
          (tz -0.147 ry "left_knee" (name "left knee")
            (tz -0.0735 (name "left shank") (mass 0.0558 0.000104142888 0.000104142888 7.322076e-06))
            (tz -0.147 ry "left_ankle_ry" rx "left_ankle_rx" (name "left ankle")
              (tz -0.012
                (tx 0.03 (name "left foot") (mass 0.0144 1.0368e-06 4.8384e-06 4.8384e-06))
                (tx 0.06 ry "left_toes"
                  (tx 0.012 (name "left toes") (mass 0.003 1.215e-07 2.0475e-07 2.0475e-07))
                  (tx 0.024)))))))
      (ty -0.033 (name "right hip")
        (ry "right_hip_ry" rx "right_hip_rx" rz "right_hip_rz"
          (tz -0.0735 (name "right thigh") (mass 0.12 0.00023337 0.00023337 3.456e-05))
          (tz -0.147 ry "right_knee" (name "right knee")
            (tz -0.0735 (name "right shank") (mass 0.0558 0.000104142888 0.000104142888 7.322076e-06))
            (tz -0.147 ry "right_ankle_ry" rx "right_ankle_rx" (name "right ankle")
              (tz -0.012
                (tx 0.03 (name "right foot") (mass 0.0144 1.0368e-06 4.8384e-06 4.8384e-06))
                (tx 0.06 ry "right_toes"
                  (tx 0.012 (name "right toes") (mass 0.003 1.215e-07 2.0475e-07 2.0475e-07))
                  (tx 0.024)))))))))
  (tx (K "control_tx") ty (K "control_ty") tz (K "control_tz") rz (K "control_rz")
    (ry (K "control_ry") rx (K "control_rx") (name "control")))
  (at "pelvis"
    (tx -0.048 tz 0.018 (name "back eye")))
  (at "head"
    (tz 0.009 ty 0.03 (name "left ear")))
  (at "left hand"
    (tz 0.0144 (name "left hand eye")))
  (at "left thigh"
    (tz -0.0588 tx 0.024 (name "left knee eye")))
  (at "head"
    (tz 0.009 ty -0.03 (name "right ear")))
  (at "right hand"
    (tz 0.0144 (name "right hand eye")))
  (at "right thigh"
    (tz -0.0588 tx 0.024 (name "right knee eye")))
  (at "control"
    (tx -0.12 ty 0 (name "back hook"))
    (tx 0.06 ty 0.042 (name "left_head hook"))
    (tx 0.21 ty 0.168 (name "left_hand hook"))
    (tx 0.18 ty 0.048 (name "left_knee hook"))
    (tx 0.06 ty -0.042 (name "right_head hook"))
    (tx 0.21 ty -0.168 (name "right_hand hook"))
    (tx 0.18 ty -0.048 (name "right_knee hook")))
  (configuration-spring "waist_ry" (name "waist_ry spring") (stiffness 0.216))
  (configuration-spring "waist_rx" (name "waist_rx spring") (stiffness 0.216))
  (configuration-spring "waist_rz" (name "waist_rz spring") (stiffness 0.216))
  (configuration-spring "back_ry" (name "back_ry spring") (stiffness 0.216))
  (configuration-spring "back_rx" (name "back_rx spring") (stiffness 0.216))
  (configuration-spring "back_rz" (name "back_rz spring") (stiffness 0.216))
  (configuration-spring "neck_ry" (name "neck_ry spring") (stiffness 0.216))
  (configuration-spring "neck_rx" (name "neck_rx spring") (stiffness 0.216))
  (configuration-spring "neck_rz" (name "neck_rz spring") (stiffness 0.216))
  (configuration-spring
    "left_shoulder_ry"
    (name "left_shoulder_ry spring")
    (stiffness 0.00864)
    (rest -0.35))
  (configuration-spring "left_shoulder_rx" (name "left_shoulder_rx spring") (stiffness 0.00864))
  (configuration-spring "left_shoulder_rz" (name "left_shoulder_rz spring") (stiffness 0.00864))
  (configuration-spring "left_elbow" (name "left_elbow spring") (stiffness 0.00864) (rest -0.9))
  (configuration-spring "left_forearm_twist" (name "left_forearm_twist spring") (stiffness 0.00864))
  (configuration-spring "left_wrist_ry" (name "left_wrist_ry spring") (stiffness 0.00864))
  (configuration-spring "left_wrist_rx" (name "left_wrist_rx spring") (stiffness 0.00864))
  (configuration-spring
    "right_shoulder_ry"
    (name "right_shoulder_ry spring")
    (stiffness 0.00864)
    (rest -0.35))
  (configuration-spring "right_shoulder_rx" (name "right_shoulder_rx spring") (stiffness 0.00864))
  (configuration-spring "right_shoulder_rz" (name "right_shoulder_rz spring") (stiffness 0.00864))
  (configuration-spring "right_elbow" (name "right_elbow spring") (stiffness 0.00864) (rest -0.9))
  (configuration-spring
    "right_forearm_twist"
    (name "right_forearm_twist spring")
    (stiffness 0.00864))
  (configuration-spring "right_wrist_ry" (name "right_wrist_ry spring") (stiffness 0.00864))
  (configuration-spring "right_wrist_rx" (name "right_wrist_rx spring") (stiffness 0.00864))
  (configuration-spring "left_hip_ry" (name "left_hip_ry spring") (stiffness 0.00864) (rest -0.12))
  (configuration-spring "left_hip_rx" (name "left_hip_rx spring") (stiffness 0.00864))
  (configuration-spring "left_hip_rz" (name "left_hip_rz spring") (stiffness 0.00864))
  (configuration-spring "left_knee" (name "left_knee spring") (stiffness 0.00864) (rest 0.24))
  (configuration-spring
    "left_ankle_ry"
    (name "left_ankle_ry spring")
    (stiffness 0.00864)
    (rest -0.12))
  (configuration-spring "left_ankle_rx" (name "left_ankle_rx spring") (stiffness 0.00864))
  (configuration-spring "left_toes" (name "left_toes spring") (stiffness 0.00864))
  (configuration-spring
    "right_hip_ry"
    (name "right_hip_ry spring")
    (stiffness 0.00864)
    (rest -0.12))
  (configuration-spring "right_hip_rx" (name "right_hip_rx spring") (stiffness 0.00864))
  (configuration-spring "right_hip_rz" (name "right_hip_rz spring") (stiffness 0.00864))
  (configuration-spring "right_knee" (name "right_knee spring") (stiffness 0.00864) (rest 0.24))
  (configuration-spring
    "right_ankle_ry"
    (name "right_ankle_ry spring")
    (stiffness 0.00864)
    (rest -0.12))
  (configuration-spring "right_ankle_rx" (name "right_ankle_rx spring") (stiffness 0.00864))
  (configuration-spring "right_toes" (name "right_toes spring") (stiffness 0.00864))
  (damping
    ("pelvis_tx" 2.4) ("pelvis_ty" 2.4) ("pelvis_tz" 2.4) ("pelvis_rz" 0.0216) ("pelvis_ry" 0.0216) ("pelvis_rx" 0.0216) ("waist_ry" 0.0216) ("waist_rx" 0.0216) ("waist_rz" 0.0216) ("back_ry" 0.0216) ("back_rx" 0.0216) ("back_rz" 0.0216) ("neck_ry" 0.0216) ("neck_rx" 0.0216) ("neck_rz" 0.0216) ("left_shoulder_ry" 0.002592) ("left_shoulder_rx" 0.002592) ("left_shoulder_rz" 0.002592) ("left_elbow" 0.002592) ("left_forearm_twist" 0.002592) ("left_wrist_ry" 0.002592) ("left_wrist_rx" 0.002592) ("right_shoulder_ry" 0.002592) ("right_shoulder_rx" 0.002592) ("right_shoulder_rz" 0.002592) ("right_elbow" 0.002592) ("right_forearm_twist" 0.002592) ("right_wrist_ry" 0.002592) ("right_wrist_rx" 0.002592) ("left_hip_ry" 0.002592) ("left_hip_rx" 0.002592) ("left_hip_rz" 0.002592) ("left_knee" 0.002592) ("left_ankle_ry" 0.002592) ("left_ankle_rx" 0.002592) ("left_toes" 0.002592) ("right_hip_ry" 0.002592) ("right_hip_rx" 0.002592) ("right_hip_rz" 0.002592) ("right_knee" 0.002592) ("right_ankle_ry" 0.002592) ("right_ankle_rx" 0.002592) ("right_toes" 0.002592)
    (name "damping"))
  (string "back hook" "back eye" (name "back string") (length (K "back_string")))
  (string "left_head hook" "left ear" (name "left_head string") (length (K "left_head_string")))
  (string
    "left_hand hook"
    "left hand eye"
    (name "left_hand string")
    (length (K "left_hand_string")))
  (string
    "left_knee hook"
    "left knee eye"
    (name "left_knee string")
    (length (K "left_knee_string")))
  (string "right_head hook" "right ear" (name "right_head string") (length (K "right_head_string")))
  (string
    "right_hand hook"
    "right hand eye"
    (name "right_hand string")
    (length (K "right_hand_string")))
  (string
    "right_knee hook"
    "right knee eye"
    (name "right_knee string")
    (length (K "right_knee_string")))
  (shape "pelvis" "ellipsoid" (size 0.0384 0.0528 0.042))
  (shape "abdomen" "ellipsoid" (size 0.03375 0.045 0.0318))
  (shape "chest" "ellipsoid" (size 0.03825 0.051 0.05406))
  (shape "head" "ellipsoid" (size 0.0225 0.03 0.0477))
  (shape "left upper arm" "capsule" (size 0.0132 0.0888))
  (shape "left forearm" "capsule" (size 0.0102 0.0798))
  (shape "left hand" "capsule" (size 0.009 0.039))
  (shape "right upper arm" "capsule" (size 0.0132 0.0888))
  (shape "right forearm" "capsule" (size 0.0102 0.0798))
  (shape "right hand" "capsule" (size 0.009 0.039))
  (shape "left thigh" "capsule" (size 0.024 0.123))
  (shape "left shank" "capsule" (size 0.0162 0.1308))
  (shape "left foot" "box" (size 0.066 0.024 0.012))
  (shape "left toes" "box" (size 0.0264 0.018 0.009))
  (shape "right thigh" "capsule" (size 0.024 0.123))
  (shape "right shank" "capsule" (size 0.0162 0.1308))
  (shape "right foot" "box" (size 0.066 0.024 0.012))
  (shape "right toes" "box" (size 0.0264 0.018 0.009))
  (start
    (q ("left_shoulder_ry" -0.35) ("left_elbow" -0.9) ("right_shoulder_ry" -0.35) ("right_elbow" -0.9) ("left_hip_ry" -0.12) ("left_knee" 0.24) ("left_ankle_ry" -0.12) ("right_hip_ry" -0.12) ("right_knee" 0.24) ("right_ankle_ry" -0.12) ("pelvis_tx" 0.06) ("pelvis_tz" 0.33) ("control_tz" 0.96) ("back_string" 0.6143484353361698) ("left_head_string" 0.38418745424597084) ("left_hand_string" 0.591920200480935) ("left_knee_string" 0.7628654711564777) ("right_head_string" 0.38418745424597084) ("right_hand_string" 0.591920200480935) ("right_knee_string" 0.7628654711564777))
    (duration 10)))
