"""Downloads wheels of the Python Package Index through pip, checked by hash; no code of a wheel is run or installed."""
import hashlib
import subprocess
import sys
from pathlib import Path


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def download_wheel(package, version, folder, expected=None):
    """The wheel's path in `folder`; exits with a message where it cannot be had or is another than expected."""
    wanted = f"{package}=={version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary=:all:", "--dest", str(folder), wanted]
    if subprocess.run(command).returncode != 0:
        sys.exit(f"pip could not download {wanted}. Check the network and start again.")
    wheel = next(Path(folder).glob(package.replace("-", "_") + "-*.whl"))
    if expected and sha256(wheel) != expected:
        sys.exit(f"{wheel.name} does not have the expected hash. Start again; if it stays so, report it.")
    return wheel
