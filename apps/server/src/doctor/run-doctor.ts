import { type Env, EnvError, readEnv } from '../env.ts'
import { check, type Finding, lineOf, type ReportFinding, reasonOf } from './finding.ts'
import { checkMachine } from './local-checks.ts'

/**
 * Checks what operators get wrong, before and after a start, and prints a line for each check: ok, or what to do. The checks are those of the
 * start itself. Nothing is changed.
 * @returns the exit code: 1 = something must be done
 */
export async function runDoctor(print: (line: string) => void): Promise<number> {
  let problems = 0
  const report: ReportFinding = (finding) => {
    if (finding.is === 'problem') problems += 1
    print(lineOf(finding))
  }
  const env = checkVariables(report)
  if (env !== null) await checkAll(env, report)
  print(problems === 0 ? 'No problems found.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}: see the lines with PROBLEM.`)
  return problems === 0 ? 0 : 1
}

/** @returns `null`: the server would not start with them */
function checkVariables(report: ReportFinding): Env | null {
  const finding = (is: Finding['is']) => (text: string) => report({ is, subject: 'variables', text })
  try {
    const env = readEnv()
    env.warnings.forEach(finding('warning'))
    if (env.warnings.length === 0) finding('ok')('they can be read')
    return env
  } catch (error) {
    const texts = error instanceof EnvError ? error.problems : [reasonOf(error)]
    texts.forEach(finding('problem'))
    return null
  }
}

async function checkAll(env: Env, report: ReportFinding): Promise<void> {
  const { isRunning, isFolderUsable } = await checkMachine(env, report)
  // Loaded here: a machine on which something above fails may not have what these need.
  const [{ checkStore }, { checkNetwork, checkWaysOut }] = await Promise.all([import('./store-checks.ts'), import('./network-checks.ts')])
  await checkWaysOut(env, report)
  if (!isFolderUsable && env.databaseUrl === '')
    return report({ is: 'skipped', subject: 'database', text: 'it is in the data folder, which cannot be used' })
  const store = await check('database', async () => {
    await checkStore(env, report, (stored) => checkNetwork(env, stored, { report, isRunning }))
    return ''
  })
  if (store.is === 'problem') report(store)
}
