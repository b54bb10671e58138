import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { fromSources } from './lib/serve.mjs'

// `npm run admin -- COMMAND`: commands of the operator on the machine itself, without a login. Without a command it lists them.

installMissing()
process.exit(runThrough(findBun(), [...fromSources, 'admin', ...process.argv.slice(2)]))
