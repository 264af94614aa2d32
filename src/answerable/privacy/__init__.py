"""The flow rule, labels, grants, the audit log, and what other packages would tell their makers."""
