import { join } from 'node:path'
import { cpuMicros, run } from './processes.ts'

// Parts that every benchmark of the gateway needs: ports, the start, and a load.

export const ports = { upstream: 21_700, bare: 21_701, gateway: 21_702, nginx: 21_703, secondGateway: 21_704 }

/** Models of a vendor with the client's dialect, and of one whose dialect is translated. */
export const passedModel = 'gpt-4o-mini'
export const translatedModel = 'claude-sonnet-4-5'

export interface LoadResult {
  readonly requests: number
  readonly failures: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}

export interface Target {
  readonly name: 'bare' | 'gateway' | 'nginx'
  readonly port: number
  readonly pid: number
  readonly token: string
}

export const load = (target: Target, plan: object): Promise<LoadResult> =>
  run([join(import.meta.dir, 'load.ts'), JSON.stringify({ port: target.port, token: target.token, ...plan })])

export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** CPU microseconds of a request and requests a second, under a load without streams. @throws Error if a request failed */
export async function measureWhole(target: Target, requests: number): Promise<{ readonly cpu: number; readonly perSecond: number }> {
  const before = cpuMicros(target.pid)
  const result = await load(target, { stream: false, connections: 64, requests })
  if (result.failures > 0) throw new Error(`${target.name}: ${result.failures} requests failed`)
  return { cpu: (cpuMicros(target.pid) - before) / result.requests, perSecond: result.perSecond }
}

export function gatewayEnv(dataDir: string, accessToken: string): Readonly<Record<string, string>> {
  return {
    PORT: String(ports.gateway),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    INITIAL_ROOT_ACCESS_TOKEN: accessToken,
    INITIAL_ROOT_PASSWORD: 'bench-password',
    LOG_LEVEL: 'warn',
  }
}

/** Creates channels to the fake upstream and a token with the given limits through the management API. @returns the token's key */
export async function prepareGateway(accessToken: string, limits: Readonly<Record<string, number>> = {}): Promise<string> {
  const call = async (path: string, body: object): Promise<{ success: boolean; message: string; data?: { key?: string } }> => {
    const response = await fetch(`http://127.0.0.1:${ports.gateway}${path}`, {
      method: 'POST',
      headers: { authorization: accessToken, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // Holds: every response of the management API is an envelope.
    const envelope = (await response.json()) as { success: boolean; message: string }
    if (!envelope.success) throw new Error(envelope.message)
    return envelope
  }
  for (const [type, models] of [
    [1, passedModel],
    [14, translatedModel],
  ]) {
    const base_url = `http://127.0.0.1:${ports.upstream}`
    await call('/api/channel/', { name: 'bench', type, key: 'upstream', base_url, models, group: 'default' })
  }
  const { data } = await call('/api/token/', { name: 'bench', remain_quota: 0, unlimited_quota: true, expired_time: -1, ...limits })
  return `sk-${data?.key}`
}
