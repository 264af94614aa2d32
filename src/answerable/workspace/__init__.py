"""A folder of enclaves, documents and indexes, and what is chosen for it: settings, models, who trusts what. The only
room that names every concrete class.
"""
