"""Candidates to a calibrated confidence, and to an answer or an abstention with its reason; whether what is missing
lies behind a refusal.
"""
