import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run mutate [-- WORDS]`: checks that tests notice deliberate faults; see `tools/mutations.ts`.

installMissing()
process.exit(runThrough(findBun(), ['tools/mutate.ts', ...process.argv.slice(2)]))
