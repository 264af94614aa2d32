"""What a question asks, by rules over its words: enough to tell two questions apart that look alike."""
