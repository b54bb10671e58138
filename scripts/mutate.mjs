import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run mutate [-- WORDS]`: whether the tests notice what is done wrong on purpose; see `tools/mutations.ts`.

installMissing()
process.exit(runThrough(findBun(), ['tools/mutate.ts', ...process.argv.slice(2)]))
