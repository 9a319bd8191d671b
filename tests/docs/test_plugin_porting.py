"""The page on porting is whole, and the gate that it shows works."""

import re
from typing import Any

from papercup_plugin.testing import create_test_host
from tests.docs.pages import page
from tests.docs.port_tables import codes, rows, squeezed

PORTING = page("docs/plugins/porting.md")
GATE = next(block for block in PORTING.blocks if "plugin.run()" in block)

OF_PI = """
    on registerTool registerCommand registerShortcut registerFlag getFlag registerMessageRenderer
    sendMessage sendUserMessage appendEntry setSessionName getSessionName setLabel exec
    getActiveTools getAllTools setActiveTools getCommands setModel getThinkingLevel
    setThinkingLevel registerProvider unregisterProvider events.emit events.on
    label promptSnippet promptGuidelines parameters execute renderCall renderResult
    prepareArguments executionMode constrainedSampling renderShell
    Type.Optional StringEnum truncateHead truncateTail formatSize child_process fs fetch
    getArgumentCompletions customType display details triggerTurn deliverAs expandPromptTemplates
    registerEntryRenderer registerMarkdownTransformer
    baseUrl apiKey api streamSimple headers authHeader models compat oauth refreshModels
    login refreshToken getApiKey modifyModels
    ui hasUI cwd sessionManager modelRegistry model isIdle abort hasPendingMessages shutdown
    getContextUsage compact getSystemPrompt mode scopedModels thinkingLevel isProjectTrusted signal
    waitForIdle newSession fork navigateTree switchSession reload
    select confirm input editor notify setStatus setWidget setTitle setWorkingMessage setFooter
    setHeader custom pasteToEditor setEditorText getEditorText setEditorComponent onTerminalInput
    theme getAllThemes getTheme setTheme getToolsExpanded setToolsExpanded timeout
    setWorkingVisible setWorkingIndicator setHiddenThinkingLabel addAutocompleteProvider
    getEditorComponent
    resources_discover session_directory session_start session_shutdown session_before_switch
    session_switch session_before_fork session_fork session_before_compact session_compact
    session_before_tree session_tree context before_provider_request before_agent_start
    agent_start agent_end turn_start turn_end message_start message_update message_end
    tool_execution_start _update _end model_select tool_call tool_result user_bash
    project_trust session_info_changed session_compact_failed before_provider_headers
    after_provider_response agent_settled ui_prompt_start ui_prompt_end thinking_level_select
    previousSessionFile terminate excludeFromContext operations response
"""
"""What extensions of pi call, give and are told, the newer names as well."""

OF_SEP = """
    defineExtension defineTool defineCommand defineProvider serve name version registerTool
    registerCommand registerFlag registerShortcut registerProvider registerMessageRenderer
    events.publish events.on on log getFlag hasUI ui callId context signal onUpdate args session
    render.markdown render.widget createTestHost initialize callTool callHook runCommand
    completeCommand ping sendEvent complete oauthLogin oauthRefresh sessionCalls busPublishes
    shutdown close runConformance patch deferred delta requestId responseFormat
    select confirm input notify setStatus setWidget setTitle
"""
"""What plugins that are written with the SDK in TypeScript do."""


def missing(names: str, *titles: str) -> list[str]:
    """Return those of the names that stand on the left of no table below these headings."""
    lines = [line for title in titles for line in PORTING.section(title).splitlines()]
    left = " ".join(" ".join(codes(line.split("|")[1])) for line in lines if line.startswith("|"))
    return [
        name for name in names.split() if re.search(rf"(?<![a-zA-Z]){name}(?!\w)", left) is None
    ]


def test_each_name_of_pi_has_a_row() -> None:
    assert missing(OF_PI, "pi's `ExtensionAPI`", "pi's contexts", "pi's events") == []


def test_each_name_of_the_sdk_in_typescript_has_a_row() -> None:
    assert missing(OF_SEP, "The SDK of `sep` in TypeScript") == []


def test_the_gate_asks_and_heeds_the_answer() -> None:
    gate: dict[str, Any] = {"__name__": "gate"}
    exec(compile(GATE, "porting.md", "exec"), gate)  # noqa: S102 - it is ours
    call = {"tool": "Bash", "arguments": {"command": "sudo rm -rf build"}}
    harmless = [{**call, "arguments": {"command": "ls"}}, {**call, "tool": "Read"}]

    with create_test_host(gate["plugin"], ui=["Yes", "No"]) as host:
        asked = [host.call_hook("tool_call", call).action for _ in range(2)]
        unasked = [host.call_hook("tool_call", each).action for each in harmless]
    with create_test_host(gate["plugin"], ui_kinds=()) as host:
        alone = host.call_hook("tool_call", call)

    assert asked == ["continue", "block"]
    assert unasked == ["continue", "continue"]
    assert alone.reason == "nobody can be asked whether this may be run"


def test_what_is_shown_of_the_gate_stands_in_it() -> None:
    table = rows(PORTING.section("A permission gate, there and here"))
    shown = [code for _, here in table for code in codes(here)]

    assert len(shown) == len(table)
    assert [code for code in shown if squeezed(code) not in squeezed(GATE)] == []
