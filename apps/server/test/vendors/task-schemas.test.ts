import { expect, test } from 'bun:test'
import type { JsonSchema } from '@sluice/contract/json-schema'
import type { Received, Script } from '../fake-upstream.ts'
import { differences } from '../matches-schema.ts'
import { fluxImageDouble, fluxVideoDouble } from './task-doubles/flux.ts'
import { pixverseDouble } from './task-doubles/pixverse.ts'
import { sunoapiDouble, sunoDouble } from './task-doubles/suno.ts'
import type { DoubleWork } from './task-doubles/task-double.ts'

// The doubles of vendors that have no client of their own for JavaScript: their responses have the form that the vendors publish, on the pages that
// the files of their dialects name.

const text = { type: 'string' } as const
const whole = { type: 'integer' } as const
const anyObject = { type: 'object' } as const
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
const object = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: { ...properties },
  required: [...required],
  additionalProperties: false,
})

/** `AsyncResponse`, `ResultResponse` and `StatusResponse` of BFL, as clients that are made from its OpenAPI document have them (read 2026-11-27), and the states of videos. */
const flux = {
  created: object(
    {
      id: text,
      polling_url: text,
      cost: orNull({ type: 'number' }),
      input_mp: orNull({ type: 'number' }),
      output_mp: orNull({ type: 'number' }),
    },
    ['id', 'polling_url'],
  ),
  asked: object(
    {
      id: text,
      status: {
        enum: [
          'Task not found',
          'Pending',
          'Reasoning',
          'Generating',
          'Request Moderated',
          'Content Moderated',
          'Ready',
          'Error',
          'Failed',
        ],
      },
      result: orNull(anyObject),
      progress: orNull({ type: 'number', minimum: 0, maximum: 1 }),
      details: orNull(anyObject),
      preview: orNull(anyObject),
      cost: orNull({ type: 'number' }),
    },
    ['id', 'status'],
  ),
}

const enveloped = (held: JsonSchema): JsonSchema => object({ ErrCode: whole, ErrMsg: text, Resp: orNull(held) }, ['ErrCode', 'ErrMsg'])

/** PixVerse's platform reference ("Text-to-Video generation", "Get Video Generation Status"). */
const pixverse = {
  created: enveloped(object({ video_id: whole, credits: whole }, ['video_id'])),
  asked: enveloped(
    object(
      {
        ...{
          id: whole,
          status: { enum: [1, 5, 6, 7, 8] },
          url: text,
          prompt: text,
          negative_prompt: text,
          style: text,
          seed: whole,
          size: whole,
        },
        ...{ create_time: text, modify_time: text, resolution_ratio: whole, outputWidth: whole, outputHeight: whole },
      },
      ['id', 'status', 'url'],
    ),
  ),
}

const clip = object(
  {
    id: text,
    title: text,
    audio_url: text,
    video_url: text,
    image_url: text,
    image_large_url: text,
    status: text,
    text,
    metadata: anyObject,
  },
  ['id'],
)
const song = object(
  {
    ...{ task_id: text, notify_hook: text, action: { enum: ['MUSIC', 'LYRICS'] }, fail_reason: text, progress: text },
    status: { enum: ['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE', 'UNKNOWN'] },
    ...{ submit_time: whole, start_time: whole, finish_time: whole, data: orNull({ anyOf: [{ type: 'array', items: clip }, clip] }) },
  },
  ['task_id', 'action', 'status'],
)
const envelope = (held: JsonSchema): JsonSchema => object({ code: text, message: text, data: orNull(held) }, ['code'])

/** The relay interface of Suno (docs.newapi.pro, "Suno Music"). */
const suno = { created: envelope(text), asked: envelope({ anyOf: [song, { type: 'array', items: song }] }) }

const coded = (held: JsonSchema): JsonSchema => object({ code: whole, msg: text, data: orNull(held) }, ['code', 'msg'])

/** sunoapi.org ("Generate Music", "Get Music Generation Details"). */
const sunoapi = {
  created: coded(object({ taskId: text }, ['taskId'])),
  asked: coded(
    object(
      {
        ...{
          taskId: text,
          parentMusicId: text,
          param: text,
          type: text,
          operationType: text,
          errorCode: orNull(whole),
          errorMessage: orNull(text),
        },
        status: {
          enum: [
            ...['PENDING', 'TEXT_SUCCESS', 'FIRST_SUCCESS', 'SUCCESS', 'CREATE_TASK_FAILED', 'GENERATE_AUDIO_FAILED'],
            ...['CALLBACK_EXCEPTION', 'SENSITIVE_WORD_ERROR'],
          ],
        },
        response: orNull(object({ taskId: text, sunoData: { type: 'array', items: anyObject } }, ['sunoData'])),
      },
      ['taskId', 'status'],
    ),
  ),
}

interface TaskScript {
  response(request: Received, origin: string): Script
}

const origin = 'http://vendor.example'
const trace = { 'ai-trace-id': '00000000-0000-4000-8000-000000000000' }

function responseOf({ response }: TaskScript, method: string, path: string, body = ''): unknown {
  // Holds: the doubles look at these members only.
  const script = response({ method, path, body, headers: trace } as unknown as Received, origin)
  const bytes = script.flatMap((step) => (step.do === 'send' ? [Buffer.from(step.bytes).toString()] : []))
  return JSON.parse(bytes.join(''))
}

const doubles = [
  ['Flux, pictures', fluxImageDouble, flux, '/v1/flux-2-pro', (id: string) => `/v1/get_result?id=${id}`],
  ['Flux, videos', fluxVideoDouble, flux, '/v1/flux-3-video', (id: string) => `/v1/get_result?id=${id}`],
  ['PixVerse', pixverseDouble, pixverse, '/openapi/v2/video/text/generate', (id: string) => `/openapi/v2/video/result/${id}`],
  ['Suno at a relay, music', sunoDouble, suno, '/suno/submit/MUSIC', (id: string) => `/suno/fetch/${id}`],
  ['Suno at a relay, words', sunoDouble, suno, '/suno/submit/LYRICS', (id: string) => `/suno/fetch/${id}`],
  ['sunoapi.org', sunoapiDouble, sunoapi, '/api/v1/generate', (id: string) => `/api/v1/generate/record-info?taskId=${id}`],
] as const

test.each(doubles)('%s: every response of the double has the published form', (_, make, schemas, params, placeOf) => {
  const double = make()
  for (const took of [null, 6]) {
    double.took = took
    expect(differences(responseOf(double, 'POST', params), schemas.created, {})).toEqual([])
  }
  // Holds: the doubles of songs have works of the same form.
  const [work] = double.works as readonly DoubleWork[]
  if (work === undefined) throw new Error('nothing was ordered')
  for (const stage of ['queued', 'running', 'done', 'moderated', 'failed'] as const) {
    work.stage = stage
    expect([stage, differences(responseOf(double, 'GET', placeOf(work.id)), schemas.asked, {})]).toEqual([stage, []])
  }
})
