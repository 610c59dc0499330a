"""What tests of all folders share."""

import pytest
from judged import shared_folder


@pytest.fixture(scope="session")
def shared_dir():
    """The folder of judged collections and real vaults, which is no part of the project."""
    folder = shared_folder()
    if not (folder / "eval" / "score.py").exists():
        pytest.skip(f"no judged collections at {folder}; VAULTSEEK_SHARED names another place")
    return folder
