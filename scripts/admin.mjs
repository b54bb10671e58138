import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run admin -- COMMAND`: what an operator does at the machine, where nobody needs to log in. Without a command it lists them.

installMissing()
process.exit(runThrough(findBun(), ['apps/server/src/main.ts', 'admin', ...process.argv.slice(2)]))
