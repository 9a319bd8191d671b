"""Where commands look for plugins."""

from bot.config import Config
from bot.config_reading import Surroundings
from bot.plugin_services.finding import PluginFinder, PluginPlaces
from extensions.plugins.discovery import DiscoverySettings


def plugin_finder(config: Config, where: Surroundings) -> PluginFinder:
    """Return what looks for plugins, as the bot would that is started here."""
    return PluginFinder(config, _places(where))


def validation_settings(where: Surroundings) -> DiscoverySettings:
    """Return what a single manifest is held against; no configuration is needed."""
    return DiscoverySettings(roots=(), host=_places(where).host)


def _places(where: Surroundings) -> PluginPlaces:
    return PluginPlaces(
        home=where.home, working_folder=where.working_folder, environment=where.environment
    )
