import Anthropic from '@anthropic-ai/sdk'
import { contract } from '@sluice/contract'
import type { TestApp } from './app.ts'
import type { Script } from './fake-upstream.ts'

type ChannelOptions = NonNullable<Parameters<TestApp['make']['channel']>[0]>

/** A new account whose channels are tried in this order, and Anthropic's own client. The scripts are the responses to the next requests. */
export async function messageScene(app: TestApp, channels: readonly ChannelOptions[], scripts: readonly Script[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 10_000_000 })
  const { key } = await app.make.token(user)
  const ids: number[] = []
  for (const [index, channel] of channels.entries()) ids.push(await app.make.channel({ groups: group, priority: -index, ...channel }))
  app.upstream.script(...scripts)
  return {
    user,
    key,
    ids,
    client: new Anthropic({ apiKey: key, baseURL: app.url, maxRetries: 0 }),
    raw: (body: object, headers: Readonly<Record<string, string>> = {}, signal: AbortSignal | null = null) =>
      app.request('/v1/messages', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal,
      }),
    upstreamBody: (): Record<string, unknown> => {
      // Holds: requests sent upstream are objects.
      return JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as Record<string, unknown>
    },
    header: (name: string) => app.upstream.received.at(-1)?.headers[name],
    log: async () => {
      await app.app.ledger.drain()
      return (await app.data(contract.log.list, { username: user.username }))[0]
    },
  }
}
