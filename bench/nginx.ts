import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pinned } from './processes.ts'

/** Starts nginx as one process in front of the same upstream; `null`: it is not installed. */
export async function startNginx(port: number, upstreamPort: number): Promise<{ child: ChildProcess; pid: number } | null> {
  const program = Bun.which('nginx')
  if (program === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  const config = join(folder, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')
  writeFileSync(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 16384; }
http { access_log off; ${paths}
  upstream vendor { server 127.0.0.1:${upstreamPort}; keepalive 256; }
  server { listen 127.0.0.1:${port}; keepalive_requests 1000000; keepalive_timeout 300s;
    location / { proxy_pass http://vendor; proxy_http_version 1.1; proxy_set_header connection ""; proxy_buffering off; } } }`,
  )
  const [command = '', ...args] = pinned('measured', [program, '-p', folder, '-c', config])
  const child = spawn(command, args, { stdio: 'ignore' })
  if (child.pid === undefined) throw new Error('nginx did not start')
  await untilOpen(port)
  return { child, pid: child.pid }
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await Bun.sleep(50)
  }
  throw new Error('nginx does not listen')
}
