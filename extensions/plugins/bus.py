"""What plugins say to each other."""

from typing import Any

import msgspec

from extensions.hooks import NOWHERE
from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.manifest import Manifest
from extensions.plugins.registrations import Registrations
from extensions.plugins.served import ServedPlugin

BUS_EVENT = "bus/event"
LONGEST_TOPIC = 256
MOST_PAYLOAD_BYTES = 64 * 1024
"""Of one message, as JSON: it is sent to each plugin that listens, and may have to wait there."""


def hears(manifest: Manifest, registrations: Registrations, topic: str) -> bool:
    """Say whether a plugin is told what others say of that topic.

    Whoever declares the bus may listen to it; whoever listens has subscribed to all that is said
    on it, or to the topic.
    """
    may = manifest.capabilities.bus or BUS_EVENT in manifest.capabilities.events
    return may and bool({BUS_EVENT, topic} & registrations.subscriptions)


def publish(plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
    """Tell all others that listen what a plugin says.

    Raises:
        BadFieldError: If it cannot be told.
    """
    topic = fields.filled_text("topic")
    if len(topic) > LONGEST_TOPIC:
        raise BadFieldError(f"topic is longer than {LONGEST_TOPIC} characters")
    payload = fields.all.get("payload", {})
    if len(msgspec.json.encode(payload)) > MOST_PAYLOAD_BYTES:
        raise BadFieldError(f"payload is larger than {MOST_PAYLOAD_BYTES} bytes")
    said = {"from": plugin.id, "topic": topic, "payload": payload}
    for other in plugin.host.running():
        if other.id != plugin.id and hears(other.manifest, other.registrations, topic):
            other.tell(BUS_EVENT, said, NOWHERE)
    return {}
