import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run soak [-- MINUTES [REQUESTS A SECOND]]`: runs all kinds of load with faults, then checks the ledger. `-- nodes [MINUTES [NODES
// [REQUESTS A SECOND]]]` kills and stops nodes of one installation; `-- leases [SEEDS]` simulates leases; `-- hostile [MINUTES]` lets
// vendors answer with values of random types.

installMissing()
const env = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '65336' }
process.exit(runThrough(findBun(), ['--no-orphans', 'apps/server/test/run-soak.ts', ...process.argv.slice(2)], { env }))
