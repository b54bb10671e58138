import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { checkWords } from './lib/usage.mjs'

checkWords(
  `Usage: npm run soak [-- MINUTES [REQUESTS A SECOND]]
       npm run soak -- nodes [MINUTES [NODES [REQUESTS A SECOND]]]
       npm run soak -- leases [SEEDS]
       npm run soak -- hostile [MINUTES]

Runs all kinds of load with faults, then checks the ledger; by default 5 minutes of 100 requests a second. nodes kills and stops nodes of one
installation, leases simulates leases, and hostile lets vendors answer with values of random types.`,
  (word) => /^(?:nodes|leases|hostile|\d+(?:\.\d+)?)$/.test(word),
)
installMissing()
const env = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65336' }
process.exit(runThrough(findBun(), ['--no-orphans', 'apps/server/test/run-soak.ts', ...process.argv.slice(2)], { env }))
