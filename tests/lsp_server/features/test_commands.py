"""Commands over the vectors."""

import pytest

EXECUTE = "workspace/executeCommand"


pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("command", "run", "notes", "message"),
    [
        ("updateIndex", "update", 2, "2 notes embedded."),
        ("rebuildIndex", "rebuild", 3, "3 notes embedded."),
        ("clearIndex", "clear", 0, "All vectors deleted."),
        ("collectGarbage", "collect", 1, "Vectors of 1 note deleted."),
    ],
)
async def test_each_command_runs_and_reports_what_it_did(ready, command, run, notes, message):
    answer = await ready.result(EXECUTE, {"command": f"vaultseek.{command}"})
    assert ready.engines[0].index.runs == [run]
    assert answer == {"command": f"vaultseek.{command}", "notes": notes, "message": message}


async def test_a_command_sends_progress(ready):
    await ready.result(EXECUTE, {"command": "vaultseek.updateIndex", "workDoneToken": "t"})
    kinds = [value["kind"] for value in ready.progress("t")]
    assert kinds == ["begin", "report", "end"]


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"command": "vaultseek.dance"}, "command"),
        ({"command": "vaultseek.updateIndex", "arguments": [{"vault": 3}]}, "arguments[0].vault"),
        ({"command": "vaultseek.updateIndex", "arguments": [{"vault": "file:///nowhere"}]}, "vault"),
    ],
)
async def test_an_invalid_argument_of_a_command_is_named(ready, params, field):
    error = (await ready.ask(EXECUTE, params))["error"]
    assert error["code"] == -32602
    assert error["data"]["field"].endswith(field)


async def test_a_command_without_an_open_folder_is_refused(client):
    await client.initialize()
    for params in ({"command": "vaultseek.updateIndex"}, {"command": "vaultseek.clearIndex", "workDoneToken": "t"}):
        error = await client.error(EXECUTE, params)
        assert (error["code"], error["message"][:18]) == (-32803, "No folder is open.")
    assert [value["kind"] for value in client.progress("t")] == ["begin", "report", "end"]


async def test_the_commands_are_announced_to_the_client(client, vault):
    capabilities = (await client.initialize(vault))["capabilities"]
    assert set(capabilities["executeCommandProvider"]["commands"]) == {
        f"vaultseek.{name}" for name in ("updateIndex", "rebuildIndex", "clearIndex", "collectGarbage")
    }
