import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// Agents for code as their users start them, with the configuration of README's section "Use it with".

/** Where and with what an agent runs. */
export interface AgentPlace {
  readonly programs: string
  readonly home: string
  readonly url: string
  readonly token: string
  readonly model: string
}

interface Started {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Agent {
  readonly name: string
  /** Its configuration files. */
  configure?(place: AgentPlace): void
  /** How it is started for a question; a later one continues the conversation. */
  start(place: AgentPlace, question: string, isLater: boolean): Started
}

const claudeCode: Agent = {
  name: 'Claude Code',
  start: ({ programs, url, token, model }, question, isLater) => ({
    command: [join(programs, 'claude'), '-p', question, '--allowedTools', 'Bash', ...(isLater ? ['--continue'] : [])],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: token,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }),
}

const codex: Agent = {
  name: 'Codex CLI',
  configure({ home, url, model }) {
    mkdirSync(join(home, '.codex'), { recursive: true })
    const lines = [
      `model = "${model}"`,
      'model_provider = "sluice"',
      // It asks for a search of the live web only because it may do everything here.
      'web_search = "disabled"',
      '',
      '[model_providers.sluice]',
      'name = "Sluice"',
      `base_url = "${url}/v1"`,
      'env_key = "SLUICE_KEY"',
      'wire_api = "responses"',
    ]
    writeFileSync(join(home, '.codex/config.toml'), `${lines.join('\n')}\n`)
  },
  start({ programs, token }, question, isLater) {
    const rights = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
    const how = isLater ? ['exec', 'resume', '--last', ...rights] : ['exec', ...rights]
    return { command: [join(programs, 'codex'), ...how, question], env: { SLUICE_KEY: token } }
  },
}

const geminiCli: Agent = {
  name: 'Gemini CLI',
  configure({ home }) {
    mkdirSync(join(home, '.gemini'), { recursive: true })
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }))
  },
  start: ({ programs, url, token, model }, question, isLater) => ({
    command: [join(programs, 'gemini'), '--yolo', '--skip-trust', '-p', question, ...(isLater ? ['--resume', 'latest'] : [])],
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: token, GEMINI_MODEL: model },
  }),
}

export const agents: readonly Agent[] = [claudeCode, codex, geminiCli]

/** Runs an agent to its end. @returns what it wrote, and its exit code */
export async function ask(
  agent: Agent,
  place: AgentPlace,
  { question, isLater }: { readonly question: string; readonly isLater: boolean },
) {
  const { command, env } = agent.start(place, question, isLater)
  const { PATH = '', LANG = 'C.UTF-8' } = process.env
  const folder = join(place.home, 'project')
  mkdirSync(folder, { recursive: true })
  const running = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH, LANG, HOME: place.home, TERM: 'dumb', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 100_000,
  })
  const [output, errors, code] = await Promise.all([running.stdout.text(), running.stderr.text(), running.exited])
  return { output, errors, code }
}
