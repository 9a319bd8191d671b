"""A stand-in for Microsoft's speech service, as edge-tts uses it: with a real voice, and faults.

async with running_edge_tts() as service:
    service.fail_next(Fault.CUT)
    ...  # have edge-tts connect to service.url
"""

from simulator.edge_tts.faults import Fault
from simulator.edge_tts.requests import SpeechRequest
from simulator.edge_tts.server import EdgeTts, running_edge_tts
from simulator.edge_tts.voices import VOICES

__all__ = ["VOICES", "EdgeTts", "Fault", "SpeechRequest", "running_edge_tts"]
