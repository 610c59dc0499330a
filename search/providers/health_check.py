"""Whether anything listens at the address of an endpoint, found out without sending a byte."""

import socket
from urllib.parse import urlsplit

from search.providers.endpoint import Endpoint

_PORTS = {"http": 80, "https": 443}


def check_health(endpoint: Endpoint, *, timeout_s: float = 3.0) -> str:
    """Why no connection to the endpoint can be opened, as a clause for a person; empty if one can.

    The connection is closed again at once. Neither a key nor a text is sent.
    """
    parts = urlsplit(endpoint.base_url)
    port = parts.port or _PORTS[parts.scheme]
    try:
        socket.create_connection((parts.hostname or "", port), timeout_s).close()
    except TimeoutError:
        return f"{parts.hostname}:{port} does not answer within {timeout_s:g} s"
    except OSError as error:
        return f"{parts.hostname}:{port} cannot be reached: {error.strerror or error}"
    return ""
