import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { checkWords } from './lib/usage.mjs'

checkWords(`Usage: npm run mutate [-- WORDS]

Checks that tests notice deliberate faults; see tools/mutations.ts.`)
installMissing()
process.exit(runThrough(findBun(), ['tools/mutate.ts', ...process.argv.slice(2)]))
