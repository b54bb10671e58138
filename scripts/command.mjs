import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { fromSources } from './lib/serve.mjs'

// `npm run COMMAND -- ...`: a command of the server, from its sources. `npm run sluice -- --help` lists them.

installMissing()
process.exit(runThrough(findBun(), [...fromSources, ...process.argv.slice(2)]))
