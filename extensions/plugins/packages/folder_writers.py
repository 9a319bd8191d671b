"""Who else may write to where a plugin stands."""

import grp
import os
import pwd
import shlex
import stat
from pathlib import Path

_ROOT = 0


def open_folder_warning(folder: Path) -> str | None:
    """Return that others may write to a folder, and the mend; `None`: they may not. It blocks.

    As with the keys of ssh, a group that nobody else is in does no harm.
    """
    try:
        status = folder.stat()
    except OSError:
        # It is not there: whoever looks for plugins in it is told so.
        return None
    shown = shlex.quote(str(folder))
    if status.st_uid not in {os.geteuid(), _ROOT}:
        return f"another user owns {folder}, and may write to it: `chown -R $USER {shown}`"
    is_open = bool(status.st_mode & stat.S_IWOTH) or (
        bool(status.st_mode & stat.S_IWGRP) and not _is_own_group(status.st_gid, status.st_uid)
    )
    if not is_open:
        return None
    return f"others may write to {folder}: `chmod go-w {shown}` keeps them from it"


def _is_own_group(gid: int, uid: int) -> bool:
    """Say whether a group is the user's alone, as many systems make one for each user."""
    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(uid)
    except KeyError:
        return False
    return (
        user.pw_gid == gid and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}
    )
