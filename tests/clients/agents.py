"""How each agent is installed, pointed at the model and asked."""

import json

from abcd_index.install.entries import bare_python, scripts_folder


class Agent:
    """``package`` and ``program``: on npm and in its bin folder. ``name``: as ``install --agent`` knows it.

    ``fills``: what makes the agent compact by itself at the next prompt, where it can do nothing else without a person.
    ``slash``: the file of a command of a project's own. ``terminal``: whether its status line is tried, too.
    """

    name = package = program = fills = slash = ""
    terminal = False

    def prepare(self, run):
        """Write what the agent needs in ``run.home``."""

    def environment(self, run):
        return {}

    def ask(self, prompt, again):
        """The arguments for a prompt; ``again``: in the session of the last one."""
        raise NotImplementedError

    def compact(self):
        """The arguments that compact the last session; none where a person has to do it."""
        return []



class Claude(Agent):
    name, package, program = "claude", "@anthropic-ai/claude-code@latest", "claude"
    slash = ".claude/commands/look.md"
    terminal = True

    def prepare(self, run):
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "allowedTools": []}
        write(run.home / ".claude.json", {
            "hasCompletedOnboarding": True, "theme": "dark", "numStartups": 5, "lastOnboardingVersion": "9.9.9",
            "customApiKeyResponses": {"approved": ["dummy-dummy-dummy-20"], "rejected": []},
            "projects": {str(folder): trusted for folder in (run.project, run.worktree, run.project / "sub")}})

    def environment(self, run):
        return {"ANTHROPIC_BASE_URL": run.url, "ANTHROPIC_API_KEY": "dummy-dummy-dummy-20",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1",
                "DISABLE_ERROR_REPORTING": "1"}

    def ask(self, prompt, again):
        return [*(["-c"] if again else []), "-p", prompt]

    def compact(self):
        return ["-c", "-p", "/compact"]


class Codex(Agent):
    name, package, program = "codex", "@openai/codex@latest", "codex"
    fills = "[[usage 60000]]"

    def prepare(self, run):
        write(run.home / ".codex" / "config.toml", f"""\
model = "fake-model"
model_provider = "fake"
model_context_window = 100000
model_auto_compact_token_limit = 50000
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "{run.url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[analytics]
enabled = false
""" + "".join(f'[projects."{folder}"]\ntrust_level = "trusted"\n' for folder in (run.project, run.worktree)))

    def environment(self, run):
        return {"FAKE_KEY": "dummy"}

    def ask(self, prompt, again):
        return ["exec", *(["resume", "--last"] if again else []), "--dangerously-bypass-hook-trust", prompt]


class Gemini(Agent):
    name, package, program = "gemini", "@google/gemini-cli@latest", "gemini"

    def prepare(self, run):
        write(run.home / ".gemini" / "settings.json", {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True}})

    def environment(self, run):
        return {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": run.url, "GEMINI_MODEL": "gemini-2.5-pro"}

    def ask(self, prompt, again):
        return [*(["-r", "latest"] if again else []), "-y", "-p", prompt]

    def compact(self):
        return ["-r", "latest", "-p", "/compress"]


class Qwen(Agent):
    name, package, program = "qwen", "@qwen-code/qwen-code@latest", "qwen"
    terminal = True

    def prepare(self, run):
        write(run.home / ".qwen" / "settings.json", {
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
            "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True}})

    def environment(self, run):
        return {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": run.url + "/v1", "OPENAI_MODEL": "fake-model"}

    def ask(self, prompt, again):
        return [*(["-c"] if again else []), "-y", "-p", prompt]

    def compact(self):
        return ["-c", "-p", "/compress"]


class Copilot(Agent):
    name, package, program = "copilot", "@github/copilot@latest", "copilot"
    terminal = True

    def prepare(self, run):
        line = f"{bare_python()} -I -S {scripts_folder()}/statusline_hook.py"
        said = {"statusLine": {"type": "command", "command": line}, "trusted_folders": [str(run.project)]}
        write(run.home / ".copilot" / "settings.json", said)
        write(run.home / ".copilot" / "config.json", said)

    def environment(self, run):
        return {"COPILOT_OFFLINE": "true", "COPILOT_AUTO_UPDATE": "false", "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS": "true",
                "COPILOT_PROVIDER_BASE_URL": run.url + "/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
                "COPILOT_MODEL": "fake-model", "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "600000"}

    def ask(self, prompt, again):
        return [*(["--continue"] if again else []), "--allow-all-tools", "-p", prompt]


class Opencode(Agent):
    name, package, program = "opencode", "opencode-ai@latest", "opencode"
    fills = "[[once 99000]]"

    def prepare(self, run):
        write(run.home / ".config" / "opencode" / "opencode.json", {
            "autoupdate": False, "share": "disabled", "model": "fake/fake-model", "small_model": "fake/fake-model",
            "provider": {"fake": {"npm": "@ai-sdk/openai-compatible", "name": "fake",
                                  "options": {"baseURL": run.url + "/v1", "apiKey": "dummy"},
                                  "models": {"fake-model": {"name": "fake", "limit": {"context": 100000, "output": 4000}}}}}})

    def environment(self, run):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}

    def ask(self, prompt, again):
        return ["run", *(["-c"] if again else []), prompt]


class Kimi(Agent):
    name, package, program = "kimi", "@moonshot-ai/kimi-code@latest", "kimi"
    fills = "[[usage 95000]]"

    def prepare(self, run):
        write(run.home / ".kimi-code" / "config.toml", f"""\
default_model = "fake"
telemetry = false
[providers.fake]
type = "openai"
base_url = "{run.url}/v1"
api_key = "dummy"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 100000
""")

    def ask(self, prompt, again):
        return [*(["-c"] if again else []), "-p", prompt]


AGENTS = {agent.name: agent for agent in (Claude, Codex, Gemini, Qwen, Copilot, Opencode, Kimi)}


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
