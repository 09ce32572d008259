"""A YAML loader for files that people write by hand: no key twice, and a date that is none stays text."""

from collections.abc import Hashable
from typing import Any

import yaml


class HandWritten(yaml.SafeLoader):
    """The safe loader, which keeps the last of two equal keys and breaks off at the 30th of February."""


def _once(loader: HandWritten, node: yaml.MappingNode) -> dict[Hashable, Any]:
    seen = set[str]()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value in seen:
            raise yaml.constructor.ConstructorError(None, None, "a field is given twice", key.start_mark)
        seen.add(str(key.value))
    return loader.construct_mapping(node, deep=True)


def _moment(loader: HandWritten, node: yaml.ScalarNode) -> Any:
    try:
        return loader.construct_yaml_timestamp(node)
    except ValueError:
        return loader.construct_scalar(node)


HandWritten.add_constructor("tag:yaml.org,2002:map", _once)
HandWritten.add_constructor("tag:yaml.org,2002:timestamp", _moment)
