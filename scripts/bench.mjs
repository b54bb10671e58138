import { findBun, installMissing } from './lib/install.mjs'
import { runTogether } from './lib/run.mjs'

// `npm run bench [-- --quick]`; stopping it also stops the processes that it measures.

installMissing()
process.exit(await runTogether([{ program: findBun(), args: ['--no-orphans', 'bench/run.ts', ...process.argv.slice(2)] }]))
