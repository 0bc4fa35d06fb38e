"""HTTP: the tools for agents' tokens as a JSON API, and the place where MCP over streamable HTTP is mounted.

    house        whether the server listens, and where; light: it loads the rest when HTTP is switched on
    serving      the listening sockets and their connections: uvicorn's protocol with limits of its own
    application  the row of what a request goes through, and the list of routes
    guard        Host, Origin, Sec-Fetch-Site, the form and size of what is sent: before anything else
    limits       how much, how many, how long
    token        whose bearer token it is
    share        how much one token may have at once
    body         the whole body, within its limits of bytes and time
    api          the routes of the JSON API
    events       the stream of what happens, for one client
    feed         what happened lately, read once for all of them
    place        the workspace that a request of the API is made in
    openapi      the API's own description
    answers      envelopes as responses; the status of each error code

A request's way, each step a pure ASGI application around the next:

    uvicorn ── Guard ── Answering ── Token ── Share ── Body ── Router ── api, or what is mounted
              4xx       errors as    401     429     408,413
                        envelopes

What is mounted below a path (`application.mounted`) is an ASGI application. It gets only requests that the guard let
through and whose token is known, and in `scope["state"]`:

    "hub"       server.hub.Hub
    "feeds"     feed.Feeds: the events of workspaces, read once for all streams
    "client"    core.clients.Client: id, name, workspaces (names of stores), profile, actor
    "current"   () -> bool: whether the token still counts; a stream asks at each heartbeat, and ends when it doesn't
    "lobby"     server.lobby.Lobby: the sessions of clients that keep no connection
    "stopping"  asyncio.Event: set when the server stops; streams end then, running calls go on
    "over"      asyncio.Event: set when all has run that will run; whoever still waits is answered that it is over

`server.entry.enter(hub, client, store)` opens a workspace for it. The body is whole before the application is called:
its first `receive()` brings all of it, the next one waits until the client has gone. A WorkroomError that it raises
before it has begun to answer becomes an envelope with the status of its code. It never sets CORS headers or cookies,
and it can't import `person`.
"""
