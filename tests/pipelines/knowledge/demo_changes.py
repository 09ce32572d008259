"""Questions over the demo about what still holds: rich subjects, where a change of one thing must not touch others."""

HOLDS, GONE = True, False  # still taken for true, or ended or perhaps outdated

# user, about, as of, the memory asked about, whether it still holds
CHANGES = (
    ("alice", "Priya Nair", "2026-03-01", r"From today \[2026-02-02\] Priya Nair leads", HOLDS),
    ("alice", "Priya Nair", "2026-03-01", r"keeps leading the UI redesign", HOLDS),
    ("alice", "Priya Nair", "2026-03-01", r"Acme Robotics", HOLDS),
    ("alice", "Priya Nair", "2026-03-01", r"joins us as a product designer", HOLDS),
    ("alice", "UI redesign", "2026-03-01", r"Bob Smith maintains", HOLDS),
    ("alice", "UI redesign", "2026-03-01", r"UI redesign depends on the component library", HOLDS),
    ("alice", "UI redesign", "2026-03-01", r"Daniel Weber asked me to lead", GONE),
    ("alice", "UI redesign", "2026-02-01", r"Daniel Weber asked me to lead", HOLDS),
    ("alice", "Mei Tanaka", "2026-03-01", r"bug 318", HOLDS),
    ("alice", "Mei Tanaka", "2026-03-01", r"owns the accessibility tests", HOLDS),
    ("alice", "Bob Smith", "2026-02-20", r"due on 30 January", GONE),
    ("alice", "Bob Smith", "2026-02-20", r"slips to 13 February", HOLDS),
    ("alice", "launch", "2026-03-01", r"moved from 2 March", GONE),
    ("alice", "launch", "2026-03-01", r"on 30 March", HOLDS),
    ("alice", "launch", "2026-02-01", r"moved from 2 March", HOLDS),
    ("alice", "Sofia", "2026-03-01", r"Sofia found a flat in Lisbon", HOLDS),
    ("alice", "Lisbon", "2026-03-01", r"live in Lisbon now", HOLDS),
    ("alice", "Zurich", "2026-03-01", r"live in Zurich", GONE),
    ("alice", "door code", "2026-03-01", r"4471", HOLDS),
    ("alice", "Northwind Labs", "2026-02-20", r"work at Northwind Labs as the lead designer", GONE),
    ("alice", "Northwind Labs", "2026-02-20", r"last day at Northwind Labs is 27 February", HOLDS),
    ("alice", "Lumen Health", "2026-02-20", r"start at Lumen Health as head of design", HOLDS),
    ("alice", "salary", "2026-02-20", r"142,000 euros", HOLDS),
    ("alice", "date picker", "2026-03-01", r"old date picker stays until version 4", HOLDS),
    ("alice", "settings", "2026-03-01", r"within 20 seconds", HOLDS),
    ("bob", "component library", "2026-02-10", r"I maintain the component library", HOLDS),
    ("bob", "component library", "2026-03-01", r"depends on the tokens package", HOLDS),
    ("bob", "component library", "2026-03-01", r"until version 4", HOLDS),
    ("bob", "version 3", "2026-02-01", r"due on 30 January", GONE),
    ("bob", "half marathon", "2026-03-01", r"12 April", HOLDS),
    ("bob", "locker", "2026-03-01", r"9026", HOLDS),
)
