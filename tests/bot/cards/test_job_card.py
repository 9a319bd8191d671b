from bot.cards.job_card import job_card
from bot.messenger import ButtonAction
from extensions.jobs.job import JobStatus, Outcome
from extensions.jobs.progress import Progress
from extensions.jobs.run import ResumeReason
from tests.fakes.example_job import JOB


def test_a_new_card_shows_the_task_in_one_line_and_can_be_cancelled() -> None:
    card = job_card(JOB, Progress())

    assert card.text.splitlines() == [
        "⏳ **fibonacci** · queued, since <t:1000:R>",
        "> Write a script that prints Fibonacci numbers",
        "`8d08ba4f`",
    ]
    assert [button.action for button in card.buttons] == [
        ButtonAction(verb="cancel", subject="8d08ba4f")
    ]


def test_a_running_card_shows_how_far_it_has_come() -> None:
    progress = Progress(turns=2, last_tool="Bash", message="Testing", fraction=0.5)

    card = job_card(JOB.started(at=1010.0), progress)

    assert card.text.splitlines()[0] == "⚙️ **fibonacci** · running, since <t:1010:R>"
    assert card.text.splitlines()[2:] == [
        "`8d08ba4f` · 2 turns · last tool: `Bash` · 50 %",
        "💬 Testing",
    ]


def test_a_settled_card_shows_how_long_it_took_and_what_it_cost_and_has_no_button() -> None:
    job = JOB.started(at=1010.0).settled(
        Outcome(status=JobStatus.COMPLETED, summary="done", cost_usd=0.184), at=1250.0
    )

    card = job_card(job, Progress(turns=1, message="Testing"))

    assert card.text.splitlines()[0] == "✅ **fibonacci** · completed after 4 minutes"
    assert card.text.splitlines()[2:] == ["`8d08ba4f` · 1 turn · $0.18"]
    assert card.buttons == ()


def test_an_interrupted_job_can_be_resumed_and_its_card_says_why_it_goes_on() -> None:
    lost = Outcome(status=JobStatus.INTERRUPTED, cost_usd=0.184, cost_is_partial=True)
    stopped = JOB.started(at=1010.0).settled(lost, at=1250.0)
    resumed = stopped.resumed(ResumeReason.BOT_AWAY)

    card, next_card = job_card(stopped, Progress()), job_card(resumed, Progress())

    assert card.text.splitlines()[2:] == ["`8d08ba4f` · at least $0.18"]
    assert [button.action for button in card.buttons] == [
        ButtonAction(verb="resume", subject="8d08ba4f")
    ]
    assert next_card.text.splitlines()[-1] == (
        "🔁 Run 2: it goes on where it had to stop, as Papercup was away for too long."
    )
    assert [button.label for button in next_card.buttons] == ["Cancel"]
