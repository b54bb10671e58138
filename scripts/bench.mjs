import { bundleServer } from './lib/bundle-server.mjs'
import { findBun, installMissing } from './lib/install.mjs'
import { runTogether } from './lib/run.mjs'

// `npm run bench [-- --quick]`; stopping it also stops the processes that it measures.

installMissing()
const bun = findBun()
// What users start is measured.
bundleServer(bun)
process.exit(await runTogether([{ program: bun, args: ['--no-orphans', 'bench/run.ts', ...process.argv.slice(2)] }]))
