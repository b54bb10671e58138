import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run verify [-- PATH]`: whether the rules of the ledger hold on a database, which may be in use.

installMissing()
process.exit(runThrough(findBun(), ['apps/server/src/main.ts', 'verify', ...process.argv.slice(2)]))
