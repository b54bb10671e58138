import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { fromSources } from './lib/serve.mjs'

// `npm run import -- SOURCE [--apply]`: imports the database of another gateway of the family; without `--apply` it is a dry run.

installMissing()
process.exit(runThrough(findBun(), [...fromSources, 'import', ...process.argv.slice(2)]))
