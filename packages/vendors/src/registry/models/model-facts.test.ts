import { describe, expect, test } from 'bun:test'
import table from './model-facts.json' with { type: 'json' }
import { type ModelFacts, modalities, modelFactsOf, modelFeatures } from './model-facts.ts'

describe('what a model takes, gives and can do', () => {
  test('is found by its name, also as resellers and deployments spell it', () => {
    const expected: ModelFacts = {
      inputs: ['text', 'image', 'file'],
      outputs: ['text'],
      features: ['tools', 'structured'],
      released: '2024-05-13',
    }
    for (const name of ['gpt-4o', 'openai/gpt-4o', 'OpenAI/GPT-4o', 'ft:gpt-4o:acme::abc', 'gpt-4o:free'])
      expect([name, modelFactsOf(name, 'chat')]).toEqual([name, expected])
  })

  test('follows from the kind of its calls, whatever tables say', () => {
    expect(modelFactsOf('whisper-1', 'transcriptions')).toMatchObject({ inputs: ['audio'], outputs: ['text'], features: [] })
    expect(modelFactsOf('tts-1', 'speech')).toMatchObject({ inputs: ['text'], outputs: ['audio'], features: [] })
    expect(modelFactsOf('gpt-image-1', 'images')).toMatchObject({ inputs: ['text', 'image'], outputs: ['image'] })
    expect(modelFactsOf('text-embedding-3-small', 'embeddings')).toMatchObject({ inputs: ['text'], outputs: [] })
    expect(modelFactsOf('sora-2', 'videos')).toMatchObject({ inputs: ['text', 'image'], outputs: ['video'], features: [] })
  })

  test('is empty where nothing is known of it', () => {
    expect(modelFactsOf('my-own-model', 'chat')).toEqual({ inputs: [], outputs: [], features: [], released: '' })
  })

  test('has a row in known words and with a day for each model of the table', () => {
    const known: Readonly<Record<number, readonly string[]>> = { 0: modalities, 1: modalities, 2: modelFeatures }
    const wrong = Object.entries<readonly string[]>(table.models).filter(
      ([name, [inputs = '', outputs = '', features = '', released = '']]) => {
        const areKnown = [inputs, outputs, features].every((list, index) =>
          list.split(' ').every((word) => word === '' || known[index]?.includes(word) === true),
        )
        return (
          !areKnown || name !== name.toLowerCase() || inputs === '' || outputs === '' || !/^(?:\d{4}-\d{2}(?:-\d{2})?)?$/.test(released)
        )
      },
    )
    expect(wrong).toEqual([])
    expect(Object.keys(table.models).length).toBeGreaterThan(500)
  })
})
