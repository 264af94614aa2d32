"""The workspace over HTTP: who asks, a table of routes, streams of what is found (extra `serve`)."""
