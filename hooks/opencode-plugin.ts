// abcd-index for opencode: `abcd-index install --agent opencode` puts this file into .opencode/plugins/.
//
// It runs the installed hook for each prompt a person sends and adds what it answers as a synthetic part of
// that message. Where the program is, `abcd-index build` has noted in the user's own folder. Whatever goes
// wrong, the prompt goes through as it was.

import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const notes = join(process.env.ABCD_HOME || join(homedir(), ".abcd.noindex"), ".index")

function noted(name: string): string {
  try {
    return readFileSync(join(notes, name), "utf8").split("\n")[0]
  } catch {
    return ""
  }
}

function run(script: string, payload: object): string {
  const python = noted("interpreter")
  const file = join(noted("hooks"), script)
  if (!python || !existsSync(python) || !existsSync(file)) return ""
  const done = spawnSync(python, ["-I", "-S", file, "--host=opencode"], {
    input: JSON.stringify(payload),
    encoding: "utf8",
    timeout: 5000,
  })
  if (done.status !== 0 || !done.stdout) return ""
  try {
    return JSON.parse(done.stdout).hookSpecificOutput.additionalContext || ""
  } catch {
    return ""
  }
}

// A session that has a parent is a sub-agent's, and what it is told no person typed.
const parents = new Map<string, boolean>()

async function ofSubAgent(client: any, sessionID: string): Promise<boolean> {
  if (!parents.has(sessionID)) {
    try {
      const found = await client.session.get({ path: { id: sessionID } })
      if (found.data) parents.set(sessionID, Boolean(found.data.parentID))
    } catch {
      // Nobody can say: then it is a person's.
    }
  }
  return parents.get(sessionID) ?? false
}

export const AbcdIndex = async ({ client, directory }: { client: any; directory: string }) => ({
  "chat.message": async (input: any, output: any) => {
    if (await ofSubAgent(client, input.sessionID)) return
    const prompt = output.parts
      .filter((part: any) => part.type === "text" && !part.synthetic)
      .map((part: any) => part.text)
      .join("\n")
    const text = run("prompt_router_hook.py", {
      session_id: input.sessionID,
      prompt_id: output.message?.id ?? input.messageID,
      cwd: directory,
      hook_event_name: "UserPromptSubmit",
      prompt,
    })
    if (!text) return
    output.parts.push({
      id: `prt_abcd_${Date.now().toString(36)}`,
      sessionID: input.sessionID,
      messageID: output.message?.id ?? input.messageID,
      type: "text",
      synthetic: true,
      text,
    })
  },
  event: async ({ event }: { event: any }) => {
    if (event.type === "session.created" && event.properties?.info?.parentID) {
      parents.set(event.properties.info.id, true)
      return
    }
    if (event.type === "session.created" || event.type === "session.compacted") {
      run("session_hook.py", {
        session_id: event.properties?.sessionID ?? event.properties?.info?.id,
        cwd: directory,
        hook_event_name: "SessionStart",
        source: event.type === "session.compacted" ? "compact" : "startup",
      })
    }
  },
})
