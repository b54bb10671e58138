import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'

// `npm run import -- SOURCE [--apply]`: imports the database of another gateway of the family; without `--apply` it is a dry run.

installMissing()
process.exit(runThrough(findBun(), ['apps/server/src/main.ts', 'import', ...process.argv.slice(2)]))
