import { findBun, installMissing } from './lib/install.mjs'
import { runThrough } from './lib/run.mjs'
import { fromSources } from './lib/serve.mjs'

// `npm run migrate-store -- --from sqlite:PATH --to postgres://...`, or the other way: moves an installation between engines.

installMissing()
process.exit(runThrough(findBun(), [...fromSources, 'migrate-store', ...process.argv.slice(2)]))
