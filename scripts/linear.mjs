import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { checkWords } from './lib/usage.mjs'

checkWords(`Usage: npm run linear [-- WORDS]

Measures every exported function with hostile input that doubles; see tools/linear/linear.ts.`)
installMissing()
process.exit(runThrough(findBun(), ['--no-orphans', 'tools/linear/linear.ts', ...process.argv.slice(2)]))
