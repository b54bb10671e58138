import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findBun, installMissing } from './lib/install.mjs'
import { root, runThrough } from './lib/run.mjs'

// `npm run test:clients`: starts Claude Code, Codex, Gemini CLI and the vendors' clients for Python against a gateway whose vendors are
// doubles. It is not part of `npm test`: it installs the newest of them, outside the project.

const folder = join(root, 'node_modules/.cache/sluice-clients')
const agents = ['@anthropic-ai/claude-code', '@openai/codex', '@google/gemini-cli']
const libraries = ['anthropic', 'openai', 'google-genai']
const python = join(folder, 'venv/bin/python')

/** npm may be set to run no install scripts; Claude Code's puts its program in place. */
function installAgents() {
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private": true}\n')
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...agents.map((name) => `${name}@latest`)]
  if (runThrough('npm', args, { cwd: folder }) !== 0) return false
  const script = join(folder, 'node_modules/@anthropic-ai/claude-code/install.cjs')
  return !existsSync(script) || spawnSync(process.execPath, [script], { cwd: folder, stdio: 'inherit' }).status === 0
}

function installLibraries() {
  if (!existsSync(python) && runThrough('python3', ['-m', 'venv', join(folder, 'venv')]) !== 0) return false
  return runThrough(python, ['-m', 'pip', 'install', '--no-input', '--quiet', '--upgrade', ...libraries]) === 0
}

function test(file, env) {
  return runThrough(findBun(), ['test', '--timeout', '240000', `./apps/server/test/real/${file}`], { env: { ...process.env, ...env } })
}

installMissing()
const programs = join(folder, 'node_modules/.bin')
const codes = []
if (installAgents()) codes.push(test('agents.check.ts', { AGENTS_AT: programs }))
else console.log('The agents did not run: npm could not install them.')
if (installLibraries()) codes.push(test('python-sdks.check.ts', { PYTHON_AT: python }))
else console.log('The clients for Python did not run: they could not be installed.')
console.log(`Installed: ${existsSync(programs) ? readdirSync(programs).join(', ') : 'no agents'}`)
process.exit(codes.every((code) => code === 0) ? 0 : 1)
