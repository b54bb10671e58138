import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  browserTests,
  bunTests,
  consoleBrowsers,
  consoleBuild,
  consoleSizes,
  inShards,
  large,
  lint,
  longTests,
  readmeImage,
  screenshots,
  speed,
  typeCheck,
  unused,
} from './lib/checks.mjs'
import { databaseTests } from './lib/database-tests.mjs'
import { failureLines } from './lib/failures.mjs'
import { findBun, installMissing } from './lib/install.mjs'
import { checkWords } from './lib/usage.mjs'

// `npm test`: runs every check but the long ones, which `npm run test:long` runs. `npm run check` and `npm run e2e` run a part of them.

/** Folders and files whose tests run a second time on PostgreSQL if they use the database. */
const onBothEngines = [
  ...['api', 'http', 'ledger', 'notify', 'outside', 'relay'].map((name) => `apps/server/src/${name}`),
  'apps/server/src/import/crash.test.ts',
  'apps/server/src/import/import.test.ts',
  'apps/server/test/hostile/columns.test.ts',
  ...[
    'access',
    'bad-rows',
    'crash',
    'crash-points',
    'hostile',
    'large-sums',
    'last-unit',
    'redeem-crash',
    'set-aside',
    'usage-crash',
    'walk',
  ].map((name) => `apps/server/test/${name}.test.ts`),
]

/** File in which the tests on SQLite record their queries, for the later check of the query plans. */
const recordedQueries = join(tmpdir(), `sluice-queries-${process.pid}`)
const recording = { RECORD_QUERIES: recordedQueries }
const recorder = ['--preload', './apps/server/test/record-queries.ts']
const onSqlite = { name: 'unit and integration tests', args: [...recorder, 'packages', 'apps'], variables: recording }
const queryPlans = (variables) => bunTests('plans of queries', ['./apps/server/test/query-plans.check.ts'], { ...recording, ...variables })

const groups = {
  all: [
    [lint, typeCheck, unused],
    consoleBuild,
    consoleSizes,
    consoleBrowsers,
    // Independent of each other, and each waits for most of its time. The longest begin first.
    [
      ...inShards(2, { name: 'the same on PostgreSQL', args: databaseTests(onBothEngines), variables: { TEST_ENGINE: 'postgres' } }),
      bunTests('rules of the repository', ['tools']),
      ...inShards(6, onSqlite),
      bunTests('the executable', ['scripts']),
      // It begins beside the last of the others, which waits for minutes while nodes are killed.
      browserTests,
    ],
    queryPlans({}),
  ],
  // What takes minutes, or programs that many machines lack.
  long: [consoleBuild, longTests],
  check: [[lint, typeCheck, unused], consoleBuild, consoleSizes, consoleBrowsers, bunTests('rules of the repository', ['tools'])],
  // Prints what a browser fetches for each page of the console.
  sizes: [consoleBuild, consoleSizes],
  e2e: [consoleBuild, browserTests],
  'readme-image': [consoleBuild, readmeImage],
  screenshots: [consoleBuild, screenshots],
  speed: [consoleBuild, speed],
  // Runs each flow of the console on a log of a million rows.
  large: [consoleBuild, large],
  // Writes the generated tables of the documentation.
  docs: [
    bunTests(
      'documentation',
      [
        ...['documentation', 'scope-page', 'vendor-page'].map((name) => `./tools/${name}.test.ts`),
        './apps/server/test/vendors/protocol-page.test.ts',
      ],
      { UPDATE_DOCS: '1' },
    ),
  ],
  // Writes the plans of all queries into apps/server/test/query-plans.txt, and checks them.
  plans: [
    inShards(2, onSqlite),
    queryPlans({ UPDATE_QUERY_PLANS: '1' }),
    bunTests('rules of the plans', ['./apps/server/test/query-plans.test.ts']),
  ],
}

/** A check that could not even be started has failed; the others still run. */
async function outcomeOf(check, isBesideOthers) {
  try {
    return await check.run({ bun, isBesideOthers })
  } catch (error) {
    console.error(error)
    return { passed: 0, failed: 1, failures: [{ name: 'could not be started', why: String(error?.stack ?? error).split('\n') }] }
  }
}

/** Places for the checks of one step that run at a time: enough to keep two cores busy while some of them wait. */
const places = 4

/** @returns the outcomes in the order of the checks */
async function seeAll(checks) {
  const outcomes = []
  const running = new Set()
  let free = places
  for (const [index, check] of checks.entries()) {
    // They begin in their order: one that takes several places waits for them, and the ones behind it wait too.
    const { takes = 1 } = check
    while (free < takes) await Promise.race(running)
    free -= takes
    const run = see(check, checks.length > 1).then((outcome) => {
      outcomes[index] = outcome
      free += takes
      running.delete(run)
    })
    running.add(run)
  }
  await Promise.all(running)
  return outcomes
}

async function see(check, isBesideOthers) {
  const startedMs = Date.now()
  console.log(`\n== ${check.name}`)
  const outcome = await outcomeOf(check, isBesideOthers)
  console.log(`== ${check.name}: ${outcome.failed === 0 ? 'passed' : 'FAILED'} after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
  return { check: check.name, ...outcome }
}

checkWords(
  `Usage: npm test

Runs every check and test but the long ones, and lists the failed ones with their reasons before its last line. It takes no arguments. These run
a part of them, or other checks:

  npm run check        types, style, unused code, the console's build and the rules of the repository
  npm run e2e          the tests of the console in a browser
  npm run test:long    the tests that take minutes
  npm run plans        writes and checks the plans of all queries
  npm run docs         writes the generated tables of the documentation
  npm run sizes | speed | large | readme-image | screenshots

One file alone: npx bun test PATH. docs/contributing.md says more.`,
  (word) => Object.hasOwn(groups, word),
)
installMissing()
const bun = findBun()
const outcomes = []
// In their order, each step once.
const steps = new Set(process.argv.slice(2).flatMap((name) => groups[name]))
for (const step of steps) outcomes.push(...(await seeAll([step].flat())))
rmSync(recordedQueries, { force: true })
const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0)
for (const line of failureLines(outcomes)) console.log(line)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
