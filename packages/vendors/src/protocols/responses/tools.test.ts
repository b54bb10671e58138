import { describe, expect, test } from 'bun:test'
import { noUsage } from '../../core/no-usage.ts'
import { responses } from './native.ts'

const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }

function usageOf(output: readonly object[], more: object = {}) {
  const response = responses.passthrough.response({ id: 'resp_1', output: output as never, usage, ...more } as never)
  if (response === null || !('usage' in response)) throw new Error('it is no answer')
  return response.usage
}

const drawing = { type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=', size: '1024x1536', quality: 'high' }

describe('the tools of a response', () => {
  test('are counted by their calls: web searches, file searches and containers', () => {
    const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'cats' } }
    const counted = usageOf([
      search,
      { type: 'web_search_call', status: 'completed' },
      { ...search, action: { type: 'open_page', url: 'https://cats.test/' } },
      { ...search, action: { type: 'find_in_page', pattern: 'cat' } },
      { type: 'file_search_call', queries: ['cats'] },
      { type: 'code_interpreter_call', container_id: 'cntr_1', code: '1' },
      { type: 'code_interpreter_call', container_id: 'cntr_1', code: '2' },
      { type: 'code_interpreter_call', container_id: 'cntr_2', code: '3' },
      { type: 'function_call', name: 'f', arguments: '{}' },
    ])
    expect(counted).toMatchObject({ promptTokens: 100, completionTokens: 20, searches: 2, fileSearches: 1, containers: 2, delegated: [] })
  })

  test('run code in containers of the size that the request sets', () => {
    const run = { type: 'code_interpreter_call', container_id: 'cntr_1' }
    const gigabytes = (container: unknown) => usageOf([run], { tools: [{ type: 'code_interpreter', container }] })?.containers
    expect(
      [
        { type: 'auto', memory_limit: '4g' },
        { type: 'auto', memory_limit: '64g' },
        { type: 'auto' },
        'cntr_1',
        null,
        { memory_limit: 'all' },
      ].map(gigabytes),
    ).toEqual([4, 64, 1, 1, 1, 1])
  })

  test('generate images with another model, whose tokens are counted separately', () => {
    const imageUsage = {
      input_tokens: 50,
      input_tokens_details: { text_tokens: 40, image_tokens: 10 },
      output_tokens: 6240,
      output_tokens_details: { image_tokens: 6240, text_tokens: 0 },
      total_tokens: 6290,
    }
    const tools = [{ type: 'image_generation', model: 'gpt-image-1-mini', quality: 'auto', size: 'auto' }]
    const counted = usageOf([drawing, drawing], { tools, tool_usage: { image_gen: imageUsage, web_search: { num_requests: 0 } } })
    expect(counted).toMatchObject({ promptTokens: 100, completionTokens: 20 })
    expect(counted?.delegated).toEqual([
      {
        models: ['gpt-image-1-mini', 'gpt-image-1'],
        usage: { ...noUsage, images: 2, promptTokens: 50, imageInputTokens: 10, completionTokens: 6240, imageOutputTokens: 6240 },
      },
    ])
  })

  test('generate images that count by size and quality if no tokens are reported', () => {
    const painted = { models: ['gpt-image-1', 'gpt-image-1'], usage: { ...noUsage, images: 1 } }
    const noReportedTokens = { tool_usage: { image_gen: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } } }
    expect(usageOf([drawing], noReportedTokens)?.delegated).toEqual([
      { ...painted, models: ['gpt-image-1', 'gpt-image-1'], size: '1024x1536', quality: 'high' },
    ])
    const plain = { type: 'image_generation_call', result: 'iVBORw0KGgo=' }
    const tools = [{ type: 'image_generation', size: '1536x1024' }]
    expect(usageOf([plain], { tools })?.delegated).toEqual([
      { ...painted, models: ['gpt-image-1', 'gpt-image-1'], size: '1536x1024', quality: 'auto' },
    ])
    expect(usageOf([{ ...plain, result: null, status: 'failed' }])?.delegated).toEqual([])
  })

  test('run in the largest container that the response repeats, unless the client runs them', () => {
    const [run, shell] = [{ type: 'code_interpreter_call', container_id: 'cntr_1' }, { type: 'shell_call' }]
    const tools = [
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'shell', environment: { type: 'container_auto', memory_limit: '16g' } },
    ]
    const local = { ...shell, environment: { type: 'local' } }
    const usages = [[run], [shell], [run, shell], [local]].map((output) => usageOf(output, { tools }))
    expect(usages.map((used) => [used?.containers, used?.containerCount])).toEqual([
      [16, 1],
      [16, 1],
      [32, 2],
      [0, 0],
    ])
  })

  test('count when each call is done, for streams that end before their usage', () => {
    const done = (item: object) => responses.passthrough.event(JSON.stringify({ type: 'response.output_item.done', item }))
    expect(done({ type: 'web_search_call' })).toMatchObject({ isPart: true, usage: { searches: 1, promptTokens: 0 } })
    expect(done(drawing)).toMatchObject({ isPart: true, usage: { delegated: [{ size: '1024x1536' }] } })
    expect(done({ type: 'message', content: [] })).toMatchObject({ usage: null })
    expect(done('nothing' as never)).toMatchObject({ usage: null })
  })
})
