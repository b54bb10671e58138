import { chatChunk, type FakeUpstream } from './fake-upstream.ts'
import { until } from './server-process.ts'

interface HeldStreamOptions {
  readonly url: string
  /** With the token of the caller. */
  readonly headers: Readonly<Record<string, string>>
  readonly upstream: FakeUpstream
  /** What the upstream waits for before it sends the rest: a name for `upstream.release`. */
  readonly gate: string
}

/** Opens a stream of a chat and reads its first words; its last words wait for the gate. */
export async function openHeldStream({ url, headers, upstream, gate }: HeldStreamOptions) {
  const chunk = (text: string, finish: string | null = null) => `data: ${JSON.stringify(chatChunk({ content: text }, finish))}\n\n`
  upstream.fallback(() => [
    { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
    { do: 'send', bytes: chunk('first') },
    { do: 'wait', name: gate },
    { do: 'send', bytes: `${chunk('last', 'stop')}data: [DONE]\n\n` },
  ])
  const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] })
  let response = new Response()
  // A worker that does not know the channel yet says so; it learns of it within two seconds.
  await until(async () => {
    response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { ...headers, connection: 'close' }, body })
    return response.ok
  })
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  let text = ''
  const readMore = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    text += new TextDecoder().decode(value)
    return done
  }
  await until(async () => (await readMore()) || text.includes('first'))
  return { readMore, text: () => text }
}
