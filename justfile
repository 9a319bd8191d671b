# What developers do often. `just` itself is not needed: every recipe is one plain command.

# Show the recipes.
default:
    @just --list

# Run the tests, or those that are named.
test *ARGUMENTS:
    uv run pytest {{ARGUMENTS}}

# All checks of the gate but the tests.
check:
    uv run ruff format --check
    uv run ruff check
    uv run mypy
    uv run basedpyright
    uv run lint-imports

# The whole gate, as it is run for every change.
gate:
    .ci/run

# Show a whole conversation against a simulated Discord.
demo *ARGUMENTS:
    uv run papercup demo {{ARGUMENTS}}

# Measure what people wait for.
bench *ARGUMENTS:
    uv run python -m benchmarks.text {{ARGUMENTS}}

# Kill bots, break voice lines, have plugins misbehave, offer bad packages, and write it all into
# docs/soak.md; takes 45 minutes. One part alone: `just soak --only plugins`.
soak *ARGUMENTS:
    uv run python -m tests.soak {{ARGUMENTS}}

# Play the commands' scenes with a real bot, and bring docs/commands, its pictures and consoles up to date.
pages *ARGUMENTS:
    uv run python -m scripts.command_pages {{ARGUMENTS}}

# Make docs/plugins/messages.md of the models of the messages.
messages:
    uv run python -m scripts.message_reference

# Pin every version in pyproject.toml after a change to the dependencies; --upgrade takes newer ones.
pin *ARGUMENTS:
    uv run --no-project scripts/pin.py {{ARGUMENTS}}
