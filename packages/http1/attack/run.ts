import { join } from 'node:path'
import { attacksOn } from './attacks.ts'
import type { Target } from './client.ts'
import { runAttacks } from './measure.ts'

// Attacks a bare server. `[WORDS]`: only attacks whose names contain them.

async function start(): Promise<Target & { stop(): Promise<void> }> {
  const child = Bun.spawn({
    cmd: [process.execPath, '--no-orphans', join(import.meta.dir, 'target.ts')],
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  let text = ''
  while (!/running: \d+ /.test(text)) text += new TextDecoder().decode((await reader.read()).value)
  return {
    port: Number(/running: (\d+)/.exec(text)?.[1]),
    pid: child.pid,
    shortPath: '/short',
    longPath: '/long',
    bodies: { 'read in pieces': { path: '/body', fields: [] } },
    socket: { path: '/socket', fields: [] },
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

process.exit((await runAttacks(attacksOn, start, process.argv[2])) ? 0 : 1)
