"""The test servers and compose.yaml: versions, loopback only, and refusal of unexpected files."""

import re
from pathlib import Path

import pytest
import yaml

from tests.servers import neo4j
from tests.servers.neo4j_launch import SETTINGS, ServerError, answers, free_port

ROOT = Path(__file__).parents[2]


def test_compose_servers_use_loopback_and_external_passwords() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
    servers = {name: one for name, one in compose["services"].items() if "profiles" not in one}
    assert set(servers) == {"neo4j", "postgres"}
    for service in servers.values():
        assert re.search(r":\d+\.\d+", service["image"])
        assert service["healthcheck"]["test"]
        assert service["volumes"][0].partition(":")[0] in compose["volumes"]
        secrets = [v for k, v in service["environment"].items() if k.endswith(("_AUTH", "_PASSWORD"))]
        assert secrets
        assert all("${BRAIN_" in secret for secret in secrets)
    for service in compose["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_compose_restarts_each_part_of_dagster_over_one_home() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    (location,) = yaml.safe_load((ROOT / "docs" / "deploy" / "workspace.yaml").read_text("utf-8"))["load_from"]
    server = location["grpc_server"]
    assert server["host"] in services and str(server["port"]) in services[server["host"]]["command"]
    for name in ("code", "webserver", "daemon", "serve"):
        assert services[name]["restart"] == "unless-stopped"
        assert services[name]["volumes"] == services["code"]["volumes"]


def test_tests_and_compose_use_same_version() -> None:
    version = re.search(r"<artifactId>neo4j</artifactId>\s*<version>([\d.]+)<", neo4j.POM.read_text("utf-8"))
    assert version
    assert f"neo4j:{version[1]}-community" in (ROOT / "compose.yaml").read_text("utf-8")
    assert f"neo4j-{version[1]}.jar" in neo4j.HASHES.read_text("utf-8")


def test_test_server_listens_on_loopback_with_authentication() -> None:
    assert "listen_address=127.0.0.1" in SETTINGS
    assert "auth_enabled=true" in SETTINGS
    assert "usage_report.enabled=false" in SETTINGS


def test_unexpected_files_are_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "neo4j-5.26.30.jar").write_bytes(b"not it")
    (tmp_path / "lib" / "extra.jar").write_bytes(b"")
    missing = neo4j._missing(tmp_path / "lib")
    assert {"neo4j-5.26.30.jar", "extra.jar"} <= set(missing)
    monkeypatch.setattr(neo4j, "CACHE", tmp_path)
    monkeypatch.setattr(neo4j, "LIBRARY", tmp_path / "lib")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ServerError, match="Java 17 and Maven"):
        neo4j.install()


def test_closed_port_does_not_respond() -> None:
    assert not answers(free_port())
