import { json } from '../../fake-upstream.ts'
import { pieces, type VendorDouble } from '../vendor-double.ts'
import { openaiDouble } from './openai.ts'

/** A model that responds with a stream whether one was requested or not, such as Alibaba's that always reason. */
export const streamOnlyDouble: VendorDouble = {
  ...openaiDouble,
  name: 'Alibaba, models that only stream',
  type: 17,
  model: 'qwq-plus',
  whole(response) {
    const { contentType, frames } = openaiDouble.stream(response)
    return pieces(contentType, frames)
  },
  // Every body requests a stream; the header says what the client wanted.
  read: (request) => ({ ...openaiDouble.read(request), stream: request.headers['accept'] === 'text/event-stream' }),
  error: (what) =>
    what === 'no_quota' ? json({ error: { code: 'Arrearage', message: 'overdue', type: 'Arrearage' } }, 400) : openaiDouble.error(what),
}
