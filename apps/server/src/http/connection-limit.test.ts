import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSources, startServer } from '../../test/server-process.ts'

/** Opens a connection and reads what the server sends by itself. */
function open(port: number, opened: Socket[]) {
  const ended = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1')
  opened.push(socket)
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (data) => {
    text += data
  })
  socket.on('error', () => {})
  socket.on('close', () => ended.resolve(text))
  // A connection that the server has reset before this process looks at it is never reported as connected.
  const connected = new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()))
  return { socket, ended: ended.promise, connected }
}

/** CPU time of a process in hundredths of a second (proc_pid_stat(5), fields 14 and 15). */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

test.if(process.platform === 'linux')(
  'more connections than descriptors are refused, and the others are served',
  async () => {
    const limited = ['sh', '-c', 'ulimit -n 300 && exec "$@"', 'sh', ...fromSources()]
    const folder = mkdtempSync(join(tmpdir(), 'sluice-descriptors-'))
    const server = await startServer({ DATA_DIR: folder }, limited)
    const opened: Socket[] = []
    try {
      const first = open(server.port, opened)
      const rest = Array.from({ length: 400 }, () => open(server.port, opened))
      await Promise.all(rest.map(({ connected }) => connected))
      const before = cpuTicks(server.pid)
      const startMs = performance.now()
      const refused = await Promise.all(rest.slice(110).map(({ ended }) => ended))
      const responses = refused.filter((text) => text.startsWith('HTTP/1.1 503 '))
      expect(responses.length).toBeGreaterThan(0)
      expect(refused.filter((text) => text !== '' && !text.startsWith('HTTP/1.1 503 '))).toEqual([])
      first.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      expect(await first.ended).toStartWith('HTTP/1.1 200 ')
      // A process that spins uses all of the time.
      expect((cpuTicks(server.pid) - before) * 10).toBeLessThan(Math.max(1_500, (performance.now() - startMs) / 2))
    } finally {
      for (const socket of opened) socket.destroy()
      server.signal('SIGKILL')
      await server.exited
      rmSync(folder, { recursive: true })
    }
  },
  60_000,
)
