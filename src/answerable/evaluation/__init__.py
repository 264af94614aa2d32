"""What a system says beside gold answers: metrics, tasks, runs that resume, reports."""
