import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Runs a program to its end, with its output on ours. @returns its exit code */
export function runThrough(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options })
  if (error) throw error
  return status ?? 1
}

/** Longest wait for the end of the output of a program that has ended. */
const leftBehindMs = 5_000

/** Runs a program and collects its output, which is shown while it runs, or at its end if another program runs at the same time. */
export function runKeeping(program, args, { isBesideOthers = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece) => {
        text += piece
        if (!isBesideOthers) process.stdout.write(piece)
      })
    }
    child.on('error', reject)
    const end = (code) => {
      if (isBesideOthers) process.stdout.write(text)
      resolve({ code: code ?? 1, text })
    }
    // Programs that it has left behind may keep its output open.
    child.on('exit', (code) => {
      const timer = setTimeout(end, leftBehindMs, code)
      child.on('close', () => {
        clearTimeout(timer)
        end(code)
      })
    })
  })
}

/** npm forwards a signal that the terminal has already sent to every process: signals within this time count as one. */
const sameSignalMs = 1_000

/** How often it is checked whether npm still runs. */
const parentMs = 200

/** The parent of a process; empty where the system does not say it. */
function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]
  } catch {
    return ''
  }
}

/**
 * Calls back when npm, or the shell by which it started this process, has ended. Only npm's scripts: npm passes a signal on to its shell only,
 * and some shells end without passing it on; a shell whose npm was killed goes on. Whoever starts the script without npm may end before it.
 */
function whenNpmEnds(ended) {
  const shell = process.ppid
  const npm = parentOf(shell)
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return
    clearInterval(timer)
    ended()
  }, parentMs)
  timer.unref()
}

/**
 * Starts programs that run until they are stopped, and stops them together. Each has its own process group: in ours it would get every
 * signal twice, and stop at once at the second.
 * @returns the exit code of the first that ended, when all have ended
 */
export function runTogether(programs) {
  const children = programs.map(({ program, args, env, cwd }) =>
    spawn(program, args, { cwd: cwd ?? root, stdio: 'inherit', env: { ...process.env, ...env }, detached: process.platform !== 'win32' }),
  )
  const stopAll = (signal) => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  }
  let stoppedAtMs = 0
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      if (Date.now() - stoppedAtMs < sameSignalMs) return
      stoppedAtMs = Date.now()
      stopAll(signal)
    })
  }
  whenNpmEnds(() => process.emit('SIGTERM', 'SIGTERM'))
  return new Promise((resolve) => {
    let running = children.length
    let result = null
    const end = (code) => {
      result ??= code
      running -= 1
      if (running === 0) resolve(result)
      else stopAll('SIGTERM')
    }
    for (const child of children) {
      child.on('error', (error) => {
        console.error(error.message)
        end(1)
      })
      child.on('exit', (code) => end(code ?? 1))
    }
  })
}

export function fail(message) {
  console.error(message)
  process.exit(1)
}
