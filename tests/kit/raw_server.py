"""Servers below HTTP: any bytes, sent slowly or never, and TLS with a self-signed certificate."""

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

Talk = Callable[[socket.socket, threading.Event], None]


@contextmanager
def serve_raw(talk: Talk) -> Iterator[str]:
    """The address of a server that passes each connection to `talk`; the event is set when the server stops."""
    closing = threading.Event()
    threads: list[threading.Thread] = []

    def accept() -> None:
        while not closing.is_set():
            with suppress(OSError):
                connection, _ = listener.accept()
                threads.append(threading.Thread(target=run, args=(connection,), daemon=True))
                threads[-1].start()

    def run(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            talk(connection, closing)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.05)
        acceptor = threading.Thread(target=accept, daemon=True)
        acceptor.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            closing.set()
            acceptor.join()
            for thread in threads:
                thread.join()


def drip(beginning: bytes, bytes_a_time: bytes = b"x") -> Talk:
    """Send `beginning`, then `bytes_a_time` every few milliseconds until the server stops."""

    def talk(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(beginning)
        while not closing.wait(0.005):
            connection.sendall(bytes_a_time)

    return talk


@contextmanager
def serve_tls(folder: Path) -> Iterator[str]:
    """The address of an HTTPS server that answers 404; its certificate, `folder/cert.pem`, is self-signed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("NOT TESTED with TLS: openssl is not installed")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1")
    names = ("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate))
    subprocess.run([openssl, *made, *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_error(404)

        def log_message(self, *_arguments: object) -> None:
            """Log nothing."""

    class Server(HTTPServer):
        def handle_error(self, *_arguments: object) -> None:
            """Ignore clients that do not trust the certificate and disconnect."""

    with Server(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()
