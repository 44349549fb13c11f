"""A small Hub in this process: as much as reading, creating and committing to repositories takes.

Of what is large it keeps bytes, and of all else text, as git and its storage of large files divide them.
"""

import base64
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

LARGE = (".parquet", ".zip")


def raw(content):
    return content if isinstance(content, bytes) else content.encode()


class Hub:
    """The repositories, and what is to go wrong.

    Attributes:
        repos: path -> content of each file, by `ORG/NAME`, `datasets/ORG/NAME` or `spaces/ORG/NAME`.
        private: those that are.
        sent: the paths of what was sent with POST or PUT.
        refused: step -> status and content that it is answered with.
        broken: steps in which the connection breaks off.
        newer: whether there is a commit that nobody has read.
        organisations: in which repositories can be created.
    """

    def __init__(self):
        self.repos, self.private, self.sent, self.refused, self.broken, self.newer = {}, set(), [], {}, set(), False
        self.organisations, self.large = {"lab"}, {}
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                hub.answer(self)

            do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def commit(self, repo):
        return hashlib.sha1(repr(sorted(self.repos[repo].items())).encode()).hexdigest()

    def answer(self, request):
        url = urlsplit(request.path)
        path, body = unquote(url.path), read(request)
        if request.command in ("POST", "PUT"):
            self.sent.append(path)
        step = step_of(path)
        if step in self.broken:
            request.close_connection = True
            return
        if "Bearer hf_wrong" in request.headers.get("Authorization", ""):
            message = "Invalid credentials in Authorization header"
            status, content, headers = 401, {"error": message}, {"X-Error-Message": message}
        elif step in self.refused:
            status, content, headers = *self.refused[step], {}
        else:
            status, content, headers = self.found(step, path, parse_qs(url.query), body)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
        if status == 200 and span and request.command == "GET":
            last = min(int(span[2] or len(data)), len(data) - 1)
            headers = headers | {"Content-Range": f"bytes {span[1]}-{last}/{len(data)}"}
            status, data = 206, data[int(span[1]) : last + 1]
        request.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(data)

    def found(self, step, path, query, body):
        """Status, content and headers."""
        if step == "validate-yaml":
            return 200, {"errors": [], "warnings": []}, {}
        if step == "create":
            return *self.created(json.loads(body)), {}
        if step == "large":
            self.large[path.rpartition("/")[2]] = body
            return 200, {}, {}
        if step == "batch":
            asked = json.loads(body)["objects"]
            made = [each | {"actions": {"upload": {"href": f"{self.url}/large/{each['oid']}"}}} for each in asked]
            return 200, {"transfer": "basic", "objects": made}, {}
        of_file = re.fullmatch(r"/((?:datasets/|spaces/)?[^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        of_repo = re.fullmatch(r"/api/((?:models|datasets|spaces)/[^/]+/[^/]+)(?:/([a-z-]+)(?:/(.*))?)?", path)
        if not (of_file or of_repo):
            return error(404, "NotFound", path)
        repo = (of_file or of_repo)[1].removeprefix("models/")
        if repo not in self.repos:
            return error(401, "RepoNotFound", "Invalid username or password.")
        if of_file:
            return self.file(repo, of_file[2], of_file[3])
        return self.about(repo, of_repo[2], of_repo[3] or "main", query, body)

    def about(self, repo, what, where, query, body):
        """Status, content and headers of what is asked about a repository that is there."""
        if what == "preupload":
            named = [each["path"] for each in json.loads(body)["files"]]
            modes = {name: "lfs" if name.endswith(LARGE) else "regular" for name in named}
            rows = [{"path": name, "uploadMode": modes[name], "shouldIgnore": False, "oid": None} for name in named]
            return 200, {"files": rows}, {}
        if what == "commit":
            return *self.committed(repo, [json.loads(line) for line in body.splitlines()], "create_pr" in query), {}
        if what == "paths-info":
            asked = json.loads(body)["paths"] if body.startswith(b"{") else parse_qs(body.decode())["paths"]
            entries = self.entries(repo)
            return 200, [entries[path] for path in map(PurePosixPath, asked) if path in entries], {}
        if what == "tree":
            return self.tree(repo, PurePosixPath(where.partition("/")[2]), query)
        siblings = [sibling(name, raw(content)) for name, content in sorted(self.repos[repo].items())]
        about = {"id": repo.partition("/")[2] if repo.count("/") > 1 else repo, "private": repo in self.private}
        return 200, about | {"sha": self.commit(repo), "siblings": siblings}, {}

    def file(self, repo, revision, name):
        if revision not in ("main", self.commit(repo)):
            return error(404, "RevisionNotFound")
        if name not in self.repos[repo]:
            return error(404, "EntryNotFound")
        data = raw(self.repos[repo][name])
        tag = hashlib.sha1(data).hexdigest()
        return 200, data, {"ETag": f'"{tag}"', "X-Repo-Commit": self.commit(repo), "Accept-Ranges": "bytes"}

    def entries(self, repo):
        """Files and folders, by their paths."""
        files = self.repos[repo]
        found = {PurePosixPath(name): file_entry(name, raw(content)) for name, content in files.items()}
        for folder in {folder for name in files for folder in PurePosixPath(name).parents if folder.name}:
            found[folder] = {"type": "directory", "path": str(folder), "oid": "0" * 40, "size": 0}
        return found

    def tree(self, repo, within, query):
        entries = self.entries(repo)
        if within.name and within not in entries:
            return error(404, "EntryNotFound")
        deep = query.get("recursive", ["false"])[0].lower() in ("true", "1")
        chosen = [path for path in sorted(entries) if path.parent == within or (deep and within in path.parents)]
        return 200, [entries[path] for path in chosen], {}

    def created(self, asked):
        if asked["organization"] not in self.organisations:
            return 403, {"error": f"You don't have the rights to create under {asked['organization']}"}
        repo = f"{asked['type']}s/{asked['organization']}/{asked['name']}"
        if repo in self.repos:
            return 409, {"error": "You already created this repo"}
        self.repos[repo] = {".gitattributes": "*.parquet filter=lfs\n"}
        if asked.get("private") or asked.get("visibility") == "private":
            self.private.add(repo)
        return 200, {"url": f"{self.url}/{repo}"}

    def committed(self, repo, lines, pr):
        if self.newer or lines[0]["value"]["parentCommit"] != self.commit(repo):
            return 412, {"error": "A commit has happened since. Please refresh and try again."}
        made = {"commitUrl": f"{self.url}/{repo}/commit/x", "commitOid": "x" * 40, "success": True}
        if pr:
            return 200, made | {"pullRequestUrl": f"{self.url}/{repo}/discussions/1"}
        for line in lines[1:]:
            path = line["value"]["path"]
            if line["key"] == "file":
                self.repos[repo][path] = base64.b64decode(line["value"]["content"]).decode()
            elif line["key"] == "lfsFile":
                self.repos[repo][path] = self.large[line["value"]["oid"]]
            else:
                assert line["key"] == "deletedFile"
                del self.repos[repo][path]
        return 200, made


def step_of(path):
    """What is asked for, where something can be made to go wrong; else None."""
    if path.startswith("/large/"):
        return "large"
    if path.endswith(".git/info/lfs/objects/batch"):
        return "batch"
    if path in ("/api/repos/create", "/api/validate-yaml"):
        return path.rpartition("/")[2]
    asked = re.fullmatch(r"/api/\w+/[^/]+/[^/]+/(preupload|commit)/.*", path)
    return asked and asked[1]


def read(request):
    if request.headers.get("Transfer-Encoding", "").lower() != "chunked":
        return request.rfile.read(int(request.headers.get("Content-Length") or 0))
    body = b""
    while size := int(request.rfile.readline(), 16):
        body += request.rfile.read(size)
        request.rfile.readline()
    request.rfile.readline()
    return body


def error(status, code, message=""):
    return status, {"error": message or code}, {"X-Error-Code": code, "X-Error-Message": message or code}


def git_hash(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def file_entry(name, data):
    return {"type": "file", "path": name, "size": len(data), "oid": git_hash(data)}


def sibling(name, data):
    about = {"rfilename": name, "size": len(data), "blobId": git_hash(data)}
    kept = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "pointerSize": 130}
    return about | ({"lfs": kept} if name.endswith(LARGE) else {})
