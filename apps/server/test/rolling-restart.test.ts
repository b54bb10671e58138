import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sluice/http1/http-server'
import { chatResponse, chatStream, json, startFakeUpstream } from './fake-upstream.ts'
import { createCluster } from './node-cluster.ts'
import { startPostgres } from './postgres-server.ts'
import { findServer, nginxArguments, startProxyProcess, withPlaces } from './proxy-process.ts'
import { until } from './server-process.ts'

// The servers of compose.yaml behind its balancer, which asks none of them whether it is ready, are restarted one after the other under load.

const nginx = findServer('nginx')
const host = '127.0.0.1'
const clients = 6
const rounds = 2
const restarts = 2 * rounds

test.skipIf(nginx === null)(
  'no server refuses a request while those behind the balancer of the deployment are restarted in turn',
  async () => {
    const database = await startPostgres()
    const url = await database.createDatabase()
    const upstream = await startFakeUpstream()
    upstream.fallback(({ body }) =>
      body.includes('"stream":true')
        ? [
            ...chatStream(['one', ' two', ' three']).slice(0, 2),
            { do: 'pause', ms: 300 },
            ...chatStream(['one', ' two', ' three']).slice(2),
          ]
        : json(chatResponse('one two')),
    )
    const servers = [freePort(host, 0), freePort(host, 0)].map((port, place) => ({
      ...{ port, place, address: `${host}:${port}` },
      cluster: createCluster({ url, size: 2, variables: { PORT: String(port) } }),
    }))
    for (const { cluster, place } of servers) await cluster.start(place)
    const [first, second] = servers
    if (first === undefined || second === undefined) throw new Error('there are two')
    const authorization = await first.cluster.prepare(upstream)

    const port = freePort(host, 0)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-restart-'))
    const configuration = withPlaces(readFileSync(join(import.meta.dir, '../../../deploy/nginx.conf'), 'utf8'), [
      ['sluice:3000 ', `${first.address} `],
      ['sluice-2:3000', second.address],
      ['listen 8080', `listen ${host}:${port}`],
      ['proxy_buffering off;', 'proxy_buffering off; add_header x-served-by $upstream_addr;'],
    ])
    const balancer = await startProxyProcess({ program: nginx, args: nginxArguments(folder, configuration), port, folder })

    const served = new Map<string, number>()
    const failures: string[] = []
    let isOver = false
    let requestCount = 0
    async function ask(isStream: boolean): Promise<void> {
      const body = JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] })
      const response = await fetch(`http://${host}:${port}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })
      const text = await response.text()
      if (!response.ok || !(isStream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}')))
        throw new Error(`${response.status} ${text}`)
      // The last of those that the balancer tried.
      const by = response.headers.get('x-served-by')?.split(', ').at(-1) ?? ''
      served.set(by, (served.get(by) ?? 0) + 1)
    }
    async function client(): Promise<void> {
      while (!isOver) {
        requestCount += 1
        await ask(requestCount % 2 === 0).catch((error: unknown) => failures.push(String(error)))
      }
    }
    const countOf = ({ address }: { readonly address: string }): number => served.get(address) ?? 0
    const haveServed = async (): Promise<void> => {
      const goals = servers.map((server) => countOf(server) + 30)
      await until(() => servers.every((server, at) => countOf(server) >= (goals[at] ?? 0)))
    }

    const loading = Promise.all(Array.from({ length: clients }, client))
    await haveServed()
    for (let round = 0; round < rounds; round += 1) {
      for (const { cluster, place } of servers) {
        expect(await cluster.end(place, 'SIGTERM')).toBe(0)
        await cluster.start(place)
        await haveServed()
      }
    }
    isOver = true
    await loading
    console.log(`${failures.length} of ${requestCount} requests failed`)
    expect(failures.filter((failure) => failure.includes('shutting_down'))).toEqual([])
    // What is on its way in the moment in which a port is closed may be lost: each client has one request under way.
    expect(failures.length).toBeLessThan(clients * restarts)
    expect(await first.cluster.inconsistencies()).toEqual([])
    await balancer.stop()
    for (const { cluster } of servers) await cluster.close()
    await upstream.close()
    await database.stop()
    rmSync(folder, { recursive: true, force: true })
  },
  120_000,
)
