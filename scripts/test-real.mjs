import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { findBun, installMissing } from './lib/install.mjs'
import { root, runThrough } from './lib/run.mjs'

// `npm run test:real`: compares the responses of a real model server (llama-cpp-python) with those that come through the gateway. It is not
// part of `npm test`: the first run builds the server, which takes minutes. If a tool is missing, it prints which, and exits with 0.

/** Packages to install, each in a version that was tried. */
const packages = ['llama-cpp-python[server]==0.3.36', 'gguf==0.19.0', 'numpy']
const folder = join(root, 'node_modules/.cache/sluice-real')
const python = join(folder, 'venv/bin/python')
const model = join(folder, 'tiny.gguf')
/** How long the server may take to load its model. */
const loadMs = 60_000

function has(program, ...args) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function skip(what) {
  console.log(`test:real did not run: ${what}`)
  process.exit(0)
}

/** Installs missing packages, at a low priority so that other programs are not slowed down. */
function install() {
  if (!has('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))'))
    skip('it needs Python 3.9 or newer with venv.')
  if (!has('c++', '--version') && !has('g++', '--version')) skip('it needs a C++ compiler.')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(python) && runThrough('python3', ['-m', 'venv', join(folder, 'venv')]) !== 0)
    skip('Python could not make an environment.')
  if (has(python, '-c', 'import llama_cpp.server.app, gguf')) return
  console.log('Building llama-cpp-python, once: this takes a few minutes.')
  const env = { ...process.env, CMAKE_ARGS: process.env.CMAKE_ARGS ?? '-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF' }
  if (runThrough('nice', ['-n', '19', python, '-m', 'pip', 'install', '--no-input', '--quiet', ...packages], { env }) !== 0)
    skip('llama-cpp-python could not be installed from PyPI.')
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

/** Resolves when the server responds. */
async function loaded(url, server) {
  const untilMs = Date.now() + loadMs
  while (Date.now() < untilMs && server.exitCode === null) {
    const isThere = await fetch(`${url}/v1/models`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  server.kill()
  throw new Error('the model server does not answer')
}

installMissing()
install()
if (runThrough(python, [join(root, 'apps/server/test/real/tiny_model.py'), model]) !== 0) throw new Error('the model could not be written')
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const args = [
  '-m',
  'llama_cpp.server',
  '--model',
  model,
  '--model_alias',
  'tiny',
  '--port',
  String(port),
  '--n_ctx',
  '1024',
  // Otherwise a new request ends the running stream.
  '--interrupt_requests',
  'false',
  '--verbose',
  'false',
]
// The server's log, which also has the requests that it refuses, is next to its model.
const output = openSync(join(folder, 'server.log'), 'w')
const server = spawn(python, args, { stdio: ['ignore', output, output] })
process.on('exit', () => server.kill())
await loaded(url, server)
const env = { ...process.env, REAL_SERVER_URL: url }
const code = runThrough(findBun(), ['test', '--timeout', '120000', './apps/server/test/real/llama-cpp.check.ts'], { env })
server.kill()
process.exit(code)
