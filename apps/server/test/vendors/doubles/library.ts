import { json } from '../../fake-upstream.ts'
import { inPieces, type ReadRequest, type ScriptedError, sse, type VendorDouble } from '../vendor-double.ts'

const failed = (code: number, message: string) => ({ success: false, answer: '', documents: [], errCode: code, message })

/** A library of documents that responds to one question: earlier messages stand before it, each with its role. */
export const libraryDouble: VendorDouble = {
  name: 'a library of documents',
  type: 21,
  key: 'sk-library-key',
  other: 'library-1',
  model: 'gpt-4o-mini',
  lacks: ['tools', 'parallel tools', 'reasoning', 'cached', 'images', 'limit', 'usage', 'content_filter'],
  whole: ({ text = '' }) => json({ success: true, answer: text, documents: [], errCode: 0, message: '' }),
  stream: ({ text = '' }) => ({
    contentType: 'text/event-stream',
    frames: sse([
      ...inPieces(text).map((content) => ({ content, finish: false, model: 'm', documents: [] })),
      { content: '', finish: true, model: 'm', documents: [] },
    ]),
  }),
  error(what) {
    const statuses: Partial<Record<ScriptedError, number>> = { bad_key: 401, rate_limited: 429, unavailable: 503, bad_request: 400 }
    const status = statuses[what]
    return status === undefined ? null : json(failed(status, 'no'), status)
  },
  errorFrame: () => sse([failed(1002, 'no such library')])[0] ?? null,
  read({ body }): ReadRequest {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { query, stream, libraryId } = JSON.parse(body) as {
      readonly query: string
      readonly stream: boolean
      readonly libraryId: string
    }
    if (libraryId !== 'library-1') throw new Error('the request names no library')
    const [text = ''] = query.split('\n\n').slice(-1)
    const system = /^system: (.*)$/m.exec(query)?.[1] ?? ''
    return { text, system, stream, tools: [], limit: undefined, images: [], results: [] }
  },
  isAuthorized: ({ headers, path }) => headers['authorization'] === 'Bearer sk-library-key' && path === '/api/library/ask',
}
