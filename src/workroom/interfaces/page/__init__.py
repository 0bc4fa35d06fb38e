"""The person's way in over HTTP: what the page in their browser speaks.

    door     who is let in
    static   the page's own files, built from web/
    routes   signing in, the person's methods, the bytes of a file, and the stream of events

Codes and keys themselves are server/signin.

A page is signed in by a code, which a terminal of the person's shows and which counts once and for two minutes:

    person's socket   page.code               -> code_…      in memory only
    POST /page/v1/sign-in {"code"}            -> page_…      its hash is kept in the state directory
    POST /page/v1/call    {"method", "params", "workspace"}  with `Authorization: Bearer page_…`
                                                             and `Workroom-Tab: …`, which tells the page's tabs apart
    POST /page/v1/bytes   {"path", "workspace"}  the same headers: a file as it is, as nothing that runs
    GET  /page/v1/events?workspace=…&since=…  the same header: events by fetch, so that no key stands in an address

Each tab is a client of its own: what it has open is its own as long as it has a stream or asks something, and for a
moment after. A call without `workspace` is made where editor_workspace_open of its tab went.

There are no cookies, which other ports of the same host would get too. An agent's token counts nothing here, and a key
nothing at /api and /mcp.
"""
