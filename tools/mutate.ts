import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allMutations } from './all-mutations.ts'
import type { Mutation } from './mutations.ts'

// `npm run mutate [-- WORDS]`: applies the deliberate faults one at a time to a copy, and lists those that no test noticed. With words:
// only faults whose names or paths contain them, or that break this line of the console's check list. `WORDS, WORDS` chooses by any of several.

const root = join(import.meta.dir, '..')
/** Time limit of a test; one that exceeds it has noticed the fault too. */
const testMs = 20_000

type Verdict = 'noticed' | 'SURVIVED' | 'OUT OF DATE'

/** Copies what tests need of the repository; links of its packages lead to the copy, not to the original. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-mutate-'))
  const isWanted = (path: string): boolean => !/(?:^|\/)(?:node_modules|dist|data|\.git)(?:\/|$)/.test(path.slice(root.length))
  for (const name of ['packages', 'apps', 'docs']) cpSync(join(root, name), join(copy, name), { recursive: true, filter: isWanted })
  for (const name of readdirSync(root).filter((file) => /\.(?:jsonc?|md)$/.test(file))) cpSync(join(root, name), join(copy, name))
  const modules = join(copy, 'node_modules')
  mkdirSync(join(modules, '@sluice'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@sluice') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(root, 'packages'))) symlinkSync(join(copy, 'packages', name), join(modules, '@sluice', name))
  for (const name of ['server', 'console']) symlinkSync(join(copy, 'apps', name), join(modules, '@sluice', name))
  return copy
}

/** Whether the tests pass. */
function areGreen(copy: string, { tests, only }: Pick<Mutation, 'tests' | 'only'>): boolean {
  const named = only === undefined ? [] : ['--test-name-pattern', only]
  const args = ['test', '--bail', '--timeout', String(testMs), ...named, ...tests.map((path) => `./${path}`)]
  // A run that hangs has noticed the fault too.
  const run = Bun.spawnSync([process.execPath, '--no-orphans', ...args], {
    cwd: copy,
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: 15 * testMs,
  })
  return run.exitCode === 0
}

function judge(copy: string, mutation: Mutation): Verdict {
  const path = join(copy, mutation.file)
  const right = readFileSync(path, 'utf8')
  if (right.split(mutation.text).length !== 2) return 'OUT OF DATE'
  writeFileSync(
    path,
    right.replace(mutation.text, () => mutation.becomes),
  )
  try {
    return areGreen(copy, mutation) ? 'SURVIVED' : 'noticed'
  } finally {
    writeFileSync(path, right)
  }
}

/** The tests of a mutation, which may be those of others too. */
const runName = ({ tests, only = '' }: Mutation): string => [...tests, only].join(' ')

/** Tests that fail without any fault, which would seem to notice every one. */
function redBefore(copy: string, chosen: readonly Mutation[]): readonly string[] {
  const runs = new Map(chosen.map((mutation) => [runName(mutation), mutation]))
  return [...runs].filter(([, run]) => !areGreen(copy, run)).map(([name]) => name)
}

const filters = process.argv
  .slice(2)
  .join(' ')
  .split(',')
  .map((words) => words.trim())
const chosen = allMutations.filter(({ name, file, check }) =>
  filters.some((words) => name.includes(words) || file.includes(words) || check === words),
)
const copy = copyRepository()
try {
  const red = redBefore(copy, chosen)
  for (const name of red) console.log(`${name} fails without any mutation, so that it would notice everything`)
  const verdicts = chosen.filter((mutation) => !red.includes(runName(mutation))).map((mutation) => verdictOf(mutation))
  const noticed = verdicts.filter((verdict) => verdict === 'noticed').length
  console.log(`${noticed} of ${chosen.length} mutations were noticed`)
  process.exitCode = noticed === chosen.length && chosen.length > 0 ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function verdictOf(mutation: Mutation): Verdict {
  const startMs = performance.now()
  const verdict = judge(copy, mutation)
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
  console.log(`${verdict.padEnd(12)}${seconds.padStart(6)} s  ${mutation.name} (${mutation.file})`)
  return verdict
}
