import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sluice/http1/http-server'
import { findServer, nginxArguments, startProxyProcess } from '../../apps/server/test/proxy-process.ts'

/** How a proxy publishes a server below a path. */
export interface Publication {
  readonly path: string
  /** Whether it removes the path from what it passes on. */
  readonly removesPath: boolean
  /** Whether it names the path in `X-Forwarded-Prefix`. */
  readonly namesPath: boolean
}

export interface Published {
  /** The address of the console, without a final slash. */
  readonly url: string
  close(): Promise<void>
}

/** Starts an nginx on a port of its own, which responds to nothing outside of the path. @throws if the machine has none */
export async function publish(server: string, { path, removesPath, namesPath }: Publication): Promise<Published> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-published-'))
  const port = freePort('127.0.0.1', 0)
  const configuration = `server {
    listen 127.0.0.1:${port};
    location ${path}/ {
      proxy_pass ${server}${removesPath ? '/' : ''};
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      ${namesPath ? `proxy_set_header X-Forwarded-Prefix ${path};` : ''}
    }
    location / { return 404; }
  }`
  const running = await startProxyProcess({ program: findServer('nginx'), args: nginxArguments(folder, configuration), port, folder })
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async close() {
      await running.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
