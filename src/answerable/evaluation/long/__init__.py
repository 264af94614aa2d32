"""Data sets as long documents with questions whose evidence stands in them, to walk and to judge walks by (DocHopper)."""
