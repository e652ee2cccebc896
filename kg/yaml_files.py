"""YAML files that people edit, read with bounds."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from retrocypher.kg.errors import InputError, conversion_fault

_Form = TypeVar("_Form")
_MOST_BYTES = 16 * 2**20


class _Loader(yaml.SafeLoader):
    """Refuses aliases, with which a small file can stand for a huge value."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        return super().compose_node(parent, index)


def read_yaml(file: Path, form: type[_Form], remedy: str) -> _Form:
    """Return the content of a YAML file; raise InputError, with the line if it is known, if it is not valid.

    Files have 16 MiB at most, and no aliases.

    Args:
        remedy: What to do about content of another form.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise InputError(f"{file}: is larger than {_MOST_BYTES // 2**20} MiB. {remedy}")
        value: Any = yaml.load(content, _Loader)
        if value is None:
            raise InputError(f"{file}: is empty. {remedy}")
        return msgspec.convert(value, form)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from error
    except RecursionError as error:
        raise InputError(f"{file}: nested too deeply") from error
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {conversion_fault(error)}. {remedy}") from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{file}{where}: not valid YAML ({getattr(error, 'problem', error)})") from error
