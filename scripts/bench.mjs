import { bundleServer } from './lib/bundle-server.mjs'
import { findBun, installMissing } from './lib/install.mjs'
import { runTogether } from './lib/run.mjs'
import { checkWords } from './lib/usage.mjs'

const groups = ['console', 'endurance', 'nodes', 'pair', 'tasks', 'vendors', 'protocols']

// Stopping it also stops the processes that it measures.

checkWords(
  `Usage: npm run bench [-- [GROUP] [--quick]]

Measures the gateway next to a bare proxy, for some minutes, on an idle machine. GROUP runs one group only:

  console, endurance, nodes, tasks, vendors, protocols, pair BEFORE AFTER

docs/contributing.md says what they measure, and which words they take.`,
  // Paths of builds have a slash; the groups read the others.
  (word) => /\/|^\d+$|^--(?:quick|verbose|views|limited|together)$|^--[a-z]+=|^postgres$/.test(word) || groups.includes(word),
)
installMissing()
const bun = findBun()
// What users start is measured.
bundleServer(bun)
process.exit(await runTogether([{ program: bun, args: ['--no-orphans', 'bench/run.ts', ...process.argv.slice(2)] }]))
