import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { fromSources } from './lib/serve.mjs'

// `npm run verify [-- PATH]`: checks the rules of the ledger on a database, which may be in use.

installMissing()
process.exit(runThrough(findBun(), [...fromSources, 'verify', ...process.argv.slice(2)]))
