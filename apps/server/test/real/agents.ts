import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

const readme = readFileSync(join(import.meta.dir, '../../../../README.md'), 'utf8')

/** What README's table says of a client: where its configuration is written, and its lines. */
function rowOf(client: string): { readonly where: string; readonly lines: string } {
  const row = readme.split('\n').find((line) => line.startsWith(`| ${client} |`)) ?? ''
  const [, where = '', lines = ''] = row.split(' | ')
  return { where, lines }
}

/** The lines of a client, with what the reader puts in. */
function linesFor(client: string, { url, token, model }: AgentPlace): readonly string[] {
  return rowOf(client)
    .lines.split('<br>')
    .flatMap((line) => /`([^`]+)`/.exec(line)?.[1] ?? [])
    .map((line) => line.replace('http://localhost:3000', url).replace('sk-...', token).replace('gpt-5.5', model))
}

/** Those of the form `NAME=value`. */
const variablesFor = (client: string, place: AgentPlace): Started['env'] =>
  Object.fromEntries(
    linesFor(client, place).flatMap((line) => [...line.matchAll(/^([A-Z_]+)=(.*)$/gs)].map(([, name = '', value = '']) => [name, value])),
  )

const claudeCode: Agent = {
  name: 'Claude Code',
  start: (place, question, isLater) => ({
    command: [join(place.programs, 'claude'), '-p', question, '--allowedTools', 'Bash', ...(isLater ? ['--continue'] : [])],
    env: { ...variablesFor('Claude Code', place), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  }),
}

const codex: Agent = {
  name: 'Codex CLI',
  configure(place) {
    mkdirSync(join(place.home, '.codex'), { recursive: true })
    writeFileSync(join(place.home, '.codex/config.toml'), `${linesFor('Codex CLI', place).join('\n')}\n`)
  },
  start({ programs, token }, question, isLater) {
    const rights = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
    const how = isLater ? ['exec', 'resume', '--last', ...rights] : ['exec', ...rights]
    return { command: [join(programs, 'codex'), ...how, question], env: { SLUICE_KEY: token } }
  },
}

const geminiCli: Agent = {
  name: 'Gemini CLI',
  configure(place) {
    mkdirSync(join(place.home, '.gemini'), { recursive: true })
    const setting = /`(\{[^`]+\})`/.exec(rowOf('Gemini CLI').where)?.[1] ?? ''
    writeFileSync(join(place.home, '.gemini/settings.json'), setting)
  },
  start: (place, question, isLater) => ({
    command: [join(place.programs, 'gemini'), '--yolo', '--skip-trust', '-p', question, ...(isLater ? ['--resume', 'latest'] : [])],
    env: variablesFor('Gemini CLI', place),
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
