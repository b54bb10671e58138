import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attacksOn, formBoundary } from '../../../packages/http1/attack/attacks.ts'
import type { Target } from '../../../packages/http1/attack/client.ts'
import { runAttacks } from '../../../packages/http1/attack/measure.ts'
import { prepare, processPassword, startServer } from './server-process.ts'

// `npm run attack [-- WORDS]`: attacks of one client, and their cost for the server and its other clients.

/** A vendor of realtime sessions that accepts each, reads everything and sends nothing. */
async function startVendor() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let head = ''
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    const onHead = (bytes: Buffer): void => {
      head += bytes.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', onHead).resume()
      const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? ''
      const accept = new Bun.CryptoHasher('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      const fields = `connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}`
      if (key === '') socket.end('HTTP/1.1 400 \r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      else socket.write(`HTTP/1.1 101 \r\n${fields}\r\n\r\n`)
    }
    socket.on('data', onHead)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const vendor = await startVendor()

async function start(): Promise<Target & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-attack-'))
  const server = await startServer({ DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword, RATE_LIMITS: 'off' })
  const { authorization = '' } = await prepare(server, vendor)
  const fields = [`authorization: ${authorization}`]
  const json = 'content-type: application/json'
  const form = `content-type: multipart/form-data; boundary=${formBoundary}`
  const target: Target = {
    port: server.port,
    pid: server.pid,
    shortPath: '/healthz',
    longPath: '/api/openapi.json',
    bodies: {
      'a login': { path: '/api/user/login', fields: [json] },
      'a chat': { path: '/v1/chat/completions', fields: [...fields, json] },
      'a form with a file': { path: '/v1/audio/transcriptions', fields: [...fields, form] },
    },
    socket: { path: '/v1/realtime?model=gpt-4o-mini', fields },
  }
  await warm(server.url, target)
  return {
    ...target,
    async stop() {
      server.signal('SIGKILL')
      await server.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Uses everything once, so that the memory of the idle server includes what is allocated at the first use. */
async function warm(url: string, { longPath, bodies }: Target): Promise<void> {
  for (let count = 0; count < 20; count += 1) await (await fetch(url + longPath)).bytes()
  for (const { path, fields } of Object.values(bodies)) {
    const headers = Object.fromEntries(fields.map((field) => field.split(': ', 2)))
    const body = `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"${'word '.repeat(50_000)}"}]}`
    for (let count = 0; count < 3; count += 1) await (await fetch(url + path, { method: 'POST', headers, body })).bytes()
  }
}

const isGood = await runAttacks(attacksOn, start, process.argv[2])
vendor.close()
process.exit(isGood ? 0 : 1)
