import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run import -- SOURCE [--apply]`: brings what another gateway of the family keeps; without `--apply` it only says what it would bring.

installMissing()
process.exit(runThrough(findBun(), ['apps/server/src/main.ts', 'import', ...process.argv.slice(2)]))
