import type { ModelKind } from '@sluice/contract'
import { type CodeLanguage, curlOf, jsonOf, keyVariable, type RequestBody } from '../../lib/request-code.ts'

interface Call {
  readonly path: string
  /** Beside the model. */
  readonly body: RequestBody
  /** The method of OpenAI's clients, in Python and JavaScript; missing: they have none. */
  readonly method?: string
}

const calls: Readonly<Partial<Record<ModelKind, Call>>> = {
  chat: { path: '/chat/completions', method: 'chat.completions.create', body: { messages: [{ role: 'user', content: 'Hello' }] } },
  responses: { path: '/responses', method: 'responses.create', body: { input: 'Hello' } },
  completions: { path: '/completions', method: 'completions.create', body: { prompt: 'Hello' } },
  embeddings: { path: '/embeddings', method: 'embeddings.create', body: { input: 'Hello' } },
  rerank: { path: '/rerank', body: { query: 'water', documents: ['A sluice', 'A loaf of bread'] } },
  moderations: { path: '/moderations', method: 'moderations.create', body: { input: 'Hello' } },
  images: { path: '/images/generations', method: 'images.generate', body: { prompt: 'A paper boat' } },
  speech: { path: '/audio/speech', method: 'audio.speech.create', body: { input: 'Hello', voice: 'alloy' } },
  videos: { path: '/videos', method: 'videos.create', body: { prompt: 'A paper boat in the rain' } },
  songs: { path: '/tasks', body: { kind: 'songs', prompt: 'A song about rain' } },
  pictures: { path: '/images/generations', method: 'images.generate', body: { prompt: 'A paper boat' } },
}

interface Sample {
  readonly model: string
  readonly kind: ModelKind
  /** Of the gateway, without a final slash. */
  readonly origin: string
}

/** A call of a model as a program; `null` = a kind whose calls need a file or a session. */
export function callOf(language: CodeLanguage, { model, kind, origin }: Sample): string | null {
  const call = calls[kind]
  if (call === undefined) return null
  const body = { model, ...call.body }
  if (language === 'curl' || call.method === undefined) return curlOf(`${origin}/v1${call.path}`, body)
  const json = jsonOf(body, 2)
  if (language === 'javascript') {
    return [
      "import OpenAI from 'openai'",
      '',
      `const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.${keyVariable} })`,
      `console.log(await client.${call.method}(${json}))`,
    ].join('\n')
  }
  // Texts, numbers and lists of JSON are written alike in Python.
  const members = Object.entries(body).map(([name, value]) => `    ${name}=${jsonOf(value)},`)
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${origin}/v1", api_key=os.environ["${keyVariable}"])`,
    `print(client.${call.method}(`,
    ...members,
    '))',
  ].join('\n')
}
