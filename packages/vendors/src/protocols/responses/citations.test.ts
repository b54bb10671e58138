import { expect, test } from 'bun:test'
import { anthropic } from '../anthropic/dialect.ts'
import { byChat } from './by-chat.ts'

test('the pages that a chat cites are annotations of the text of its response, whole and in events', () => {
  const citation = { type: 'web_search_result_location', url: 'https://a.example/1', title: 'One' }
  const annotation = { type: 'url_citation', url: 'https://a.example/1', title: 'One', start_index: 0, end_index: 5 }
  const content = [{ type: 'text', text: 'Rain.', citations: [citation] }]
  const context = { id: 'resp_1', created: 1, model: 'm' }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const read = byChat(anthropic).response({ content, stop_reason: 'end_turn', usage }, context)
  expect(read).toMatchObject({ response: { output: [{ content: [{ text: 'Rain.', annotations: [annotation] }] }] } })

  const stream = byChat(anthropic).stream(context)
  const events = [
    { type: 'message_start', message: { usage } },
    { type: 'content_block_start', index: 0, content_block: content[0] ?? {} },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  const chunks = [...events.flatMap((event) => stream.event(JSON.stringify(event), undefined).chunks), ...(stream.end().last ?? [])]
  expect(chunks.filter(({ type }) => type === 'response.output_text.annotation.added')).toMatchObject([{ annotation_index: 0, annotation }])
  expect(chunks.at(-1)).toMatchObject({ response: { output: [{ content: [{ annotations: [annotation] }] }] } })
})
