import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run bench [-- --quick]`

installMissing()
process.exit(runThrough(findBun(), ['bench/run.ts', ...process.argv.slice(2)]))
