(system (name "cable")
  (gravity 0 0 -9.81)
  (ry "angle1"
    (tx 0.1 (name "link1") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
    (tx 0.2 (name "node1")
      (ry "angle2"
        (tx 0.1 (name "link2") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
        (tx 0.2 (name "node2")
          (ry "angle3"
            (tx 0.1 (name "link3") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
            (tx 0.2 (name "node3")
              (ry "angle4"
                (tx 0.1 (name "link4") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                (tx 0.2 (name "node4")
                  (ry "angle5"
                    (tx 0.1 (name "link5") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                    (tx 0.2 (name "node5")
                      (ry "angle6"
                        (tx 0.1 (name "link6") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                        (tx 0.2 (name "node6")
                          (ry "angle7"
                            (tx 0.1 (name "link7") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                            (tx 0.2 (name "node7")
                              (ry "angle8"
                                (tx 0.1 (name "link8") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                                (tx 0.2 (name "node8")
                                  (ry "angle9"
                                    (tx 0.1 (name "link9") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                                    (tx 0.2 (name "node9")
                                      (ry "angle10"
                                        (tx 0.1 (name "link10") (mass 0.1 0 0.00033333333333333343 0.00033333333333333343))
                                        (tx 0.2 (name "node10")))))))))))))))))))))
  (start (duration 10) (dt 0.002)))
