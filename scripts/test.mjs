import { browserTests, bunTests, consoleBuild, lint, typeCheck, unused } from './lib/checks.mjs'
import { findBun, installMissing } from './lib/install.mjs'

// `npm test`: every check there is. `npm run check` and `npm run e2e` run a part of them.

/** What runs a second time on the other engine: everything that asks the store for something. */
const onBothEngines = [
  ...['api', 'http', 'ledger', 'notify', 'outside', 'relay'].map((name) => `apps/server/src/${name}`),
  'apps/server/src/import/crash.test.ts',
  'apps/server/src/import/import.test.ts',
  ...['access', 'crash', 'crash-points', 'hostile', 'last-unit', 'redeem-crash', 'usage-crash', 'walk'].map(
    (name) => `apps/server/test/${name}.test.ts`,
  ),
]

const groups = {
  all: [
    lint,
    typeCheck,
    unused,
    consoleBuild,
    bunTests('rules of the repository', ['tools']),
    // Each keeps one core busy and waits for nothing of the other.
    [
      bunTests('unit and integration tests', ['packages', 'apps']),
      bunTests('the same on PostgreSQL', onBothEngines, { TEST_ENGINE: 'postgres' }),
    ],
    bunTests('the executable', ['scripts']),
    browserTests,
  ],
  check: [lint, typeCheck, unused, bunTests('rules of the repository', ['tools'])],
  e2e: [consoleBuild, browserTests],
}

/** A check that could not even be started has failed; the others still run. */
async function outcomeOf(check, isBesideOthers) {
  try {
    return await check.run({ bun, isBesideOthers })
  } catch (error) {
    console.error(error)
    return { passed: 0, failed: 1 }
  }
}

async function see(check, isBesideOthers) {
  const startedMs = Date.now()
  console.log(`\n== ${check.name}`)
  const result = await outcomeOf(check, isBesideOthers)
  passed += result.passed
  failed += result.failed
  console.log(`== ${check.name}: ${result.failed === 0 ? 'passed' : 'FAILED'} after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
}

installMissing()
const bun = findBun()
let passed = 0
let failed = 0
for (const step of groups[process.argv[2] ?? 'all']) {
  const checks = [step].flat()
  await Promise.all(checks.map((check) => see(check, checks.length > 1)))
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
