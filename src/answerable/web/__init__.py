"""The workspace over HTTP: routes for programs, pages for people, streams of what is found (extra `serve`)."""
