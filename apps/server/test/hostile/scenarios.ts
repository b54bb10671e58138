import { contract } from '@sluice/contract'
import { chatChunk, chatResponse, events, json, type Received, type Script } from '../fake-upstream.ts'
import { mp4Of } from '../mp4.ts'
import { content } from '../vendors/task-doubles/task-double.ts'
import type { Scenario } from './columns.ts'
import { type HostileScene, hostileCases, send, setOptions, textScript } from './scene.ts'

// What a vendor says in each scenario, and what clients and administrators do meanwhile. Each returns what went wrong.

type Faults = readonly string[]

const internal = (status: number, text: string): boolean => status === 500 || text.includes('internal_error')

/** A request may fail, but not in the server. */
function faultIn(what: string, { status, text }: { readonly status: number; readonly text: string }): Faults {
  return internal(status, text) ? [`${what}: ${status} ${text.slice(0, 300)}`] : []
}

const isPost = ({ method }: Received): boolean => method === 'POST'
const isGet = ({ method }: Received): boolean => method === 'GET'
const always = (): boolean => true

/** A model that has failed is paused for a while. */
const rest = ({ clock }: HostileScene): void => clock.advance(120_000)

const details = { cached_tokens: 4, audio_tokens: 1 }
const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: details,
  completion_tokens_details: { reasoning_tokens: 2 },
}
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }
const refusal = { error: { message: 'The model is overloaded', type: 'server_error', param: 'model', code: 'overloaded' } }

async function chats(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  const response = { ...chatResponse('Hello', usage), service_tier: 'default', system_fingerprint: 'fp' }
  const [choice] = response.choices
  const whole = { ...response, choices: [{ ...choice, message: { ...choice?.message, tool_calls: [call] } }] }
  const ask = async (what: string, script: Script, stream = false): Promise<void> => {
    scene.hostile = { to: always, script }
    const body = { model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: 'Hi' }] }
    faults.push(...faultIn(what, await send(scene, '/v1/chat/completions', body)))
    rest(scene)
  }
  await ask('the right response', json(whole))
  for (const { what, text } of hostileCases(whole)) await ask(what, textScript(text))
  for (const { what, text } of hostileCases(refusal)) await ask(what, textScript(text, 429))
  const last = { ...chatChunk({}, 'stop'), usage }
  for (const { what, text } of hostileCases(last, 3))
    await ask(`a stream, ${what}`, events([chatChunk({ content: 'Hello' }), text, '[DONE]']), true)
  return faults
}

async function responses(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
  ]
  const counts = { input_tokens: 10, output_tokens: 5, total_tokens: 15, input_tokens_details: { cached_tokens: 4 } }
  const right = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, status: 'completed', model: 'm', output, usage: counts }
  scene.right = () => json(right)
  const ask = async (what: string, model: string): Promise<void> => {
    faults.push(...faultIn(what, await send(scene, '/v1/responses', { model, input: 'Hi' })))
    rest(scene)
  }
  for (const { what, text } of hostileCases(right)) {
    scene.hostile = { to: always, script: textScript(text) }
    await ask(what, 'gpt-4o-mini')
  }
  // Responses that the server stores, because the vendor has only chats.
  scene.right = () => json(chatResponse())
  await ask('a stored response', 'gpt-4o')
  return faults
}

interface TaskFlow {
  readonly path: string
  readonly params: object
  /** Right responses to the order, and to questions about its status. */
  readonly created: object
  readonly statuses: readonly object[]
  /** How many are created together. */
  readonly count?: number
  /** See `hostileCases`. */
  readonly every?: number
}

/** Tasks whose responses are hostile once, to the order or to a question, and right afterwards: each ends. */
async function taskFlow(scene: HostileScene, { path, params, created, statuses, count = 1, every = 3 }: TaskFlow): Promise<Faults> {
  const { app, poll } = scene
  const faults: string[] = []
  const [first = {}] = statuses
  const isQuestion = (request: Received): boolean => isGet(request) || request.path === '/suno/fetch'
  scene.right = (request) => {
    if (request.path.includes('/content') || request.path.startsWith('/results/')) return content(request, 'video/mp4')
    return json(isQuestion(request) ? first : created)
  }
  async function flow(what: string, to: (request: Received) => boolean, text: string): Promise<void> {
    const createRequests = async () => {
      for (let left = count; left > 0; left -= 1) faults.push(...faultIn(what, await send(scene, path, params)))
    }
    if (to === isPost) scene.hostile = { to, script: textScript(text) }
    await createRequests()
    if (to !== isPost) scene.hostile = { to, script: textScript(text) }
    await poll()
    scene.hostile = null
  }
  for (const { what, text } of hostileCases(created, 3)) await flow(`an order, ${what}`, isPost, text)
  for (const right of statuses) for (const { what, text } of hostileCases(right, every)) await flow(`a question, ${what}`, isQuestion, text)
  faults.push(...(await unendedTasks(scene)))
  const { text } = await send(scene, path.startsWith('/v1/videos') ? '/v1/videos' : '/v1/tasks')
  faults.push(...faultIn('the list', { status: text.includes('"data"') ? 200 : 500, text }))
  const listed = await app.call(contract.task.list, {}, scene.admin)
  if (!listed.success) faults.push(`the tasks of the console: ${listed.message}`)
  return faults
}

/** Polls what still runs, with correct responses, until it would have been polled often enough. */
async function unendedTasks({ app, poll }: HostileScene): Promise<Faults> {
  const query = app.app.store.db.selectFrom('tasks').select(['public_id', 'state', 'stage']).where('stage', '<>', 'ended')
  let running = await query.execute()
  for (let round = 0; round < 20 && running.length > 0; round += 1) {
    await poll(700_000)
    running = await query.execute()
  }
  return running.map(({ public_id: id, state, stage }) => `${id} has not ended: ${state}, ${stage}`)
}

const video = {
  ...{ id: 'vid-1', object: 'video', model: 'sora-2', status: 'completed', progress: 100, seconds: '4', size: '1280x720' },
  ...{ created_at: 1_700_000_000, completed_at: 1_700_000_060, expires_at: 4_000_000_000 },
}
const failedVideo = { ...video, status: 'failed', error: { code: 'server_error', message: 'It could not be made' } }

const videos = (scene: HostileScene): Promise<Faults> =>
  taskFlow(scene, {
    path: '/v1/videos',
    params: { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' },
    created: { ...video, status: 'queued', progress: 0 },
    statuses: [video, failedVideo],
    every: 1,
  })

async function songs(scene: HostileScene): Promise<Faults> {
  const clip = { id: 'clip-1', title: 'Rain', audio_url: 'https://cdn.example.com/1.mp3', metadata: { duration: 99 } }
  const song = { task_id: 'suno-1', action: 'MUSIC', status: 'SUCCESS', progress: '100%', fail_reason: '', data: [clip] }
  const faults = await taskFlow(scene, {
    path: '/suno/submit/music',
    params: { gpt_description_prompt: 'Rain', mv: 'chirp-v4' },
    created: { code: 'success', message: '', data: 'suno-1' },
    statuses: [{ code: 'success', message: '', data: [song] }],
    count: 2,
  })
  const parts = [{ inlineData: { mimeType: 'audio/mpeg', data: 'aGVsbG8=' } }, { text: 'It rains.' }]
  const response = { candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP' }], responseId: 'r1', modelVersion: 'lyria' }
  const params = { model: 'lyria-3-clip-preview', gpt_description_prompt: 'Rain' }
  const problems: string[] = [...faults]
  scene.right = () => json(response)
  for (const { what, text } of hostileCases(response)) {
    scene.hostile = { to: isPost, script: textScript(text) }
    problems.push(...faultIn(what, await send(scene, '/suno/submit/music', params)))
    rest(scene)
  }
  return problems
}

const images = (scene: HostileScene): Promise<Faults> =>
  taskFlow(scene, {
    path: '/v1/tasks?kind=pictures',
    params: { model: 'flux-2-pro', prompt: 'A cat', size: '1024x2048' },
    created: { id: 'bfl-1', polling_url: `${scene.app.upstream.url}/v1/get_result?id=bfl-1`, cost: 6, input_mp: 0 },
    statuses: [
      { id: 'bfl-1', status: 'Ready', progress: 1, cost: 6, result: { sample: 'https://cdn.example.com/1.png', seed: 7 } },
      { id: 'bfl-1', status: 'Error', result: null, details: { error: 'It could not be made' } },
    ],
  })

async function batches(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  const at = new Date(scene.clock.nowMs()).toISOString()
  const counts = { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: 0 }
  const times = { created_at: at, ended_at: at, expires_at: at, archived_at: null, cancel_initiated_at: null }
  const ended = {
    id: 'msgbatch_1',
    type: 'message_batch',
    processing_status: 'ended',
    request_counts: counts,
    results_url: 'https://a.example/r',
    ...times,
  }
  const tokens = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 5, service_tier: 'batch' }
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: [{ type: 'text', text: 'Hello' }],
    usage: tokens,
  }
  const line = { custom_id: 'one', result: { type: 'succeeded', message } }
  const isResults = ({ path }: Received): boolean => path.endsWith('/results')
  const isStatus = (request: Received): boolean => isGet(request) && !isResults(request)
  scene.right = (request) =>
    isResults(request)
      ? textScript(`${JSON.stringify(line)}\n`)
      : json(isPost(request) ? { ...ended, processing_status: 'in_progress' } : ended)
  const params = { model: 'claude-haiku-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
  async function flow(what: string, to: (request: Received) => boolean, text: string): Promise<void> {
    scene.hostile = { to, script: textScript(text) }
    faults.push(...faultIn(what, await send(scene, '/v1/messages/batches', { requests: [{ custom_id: 'one', params }] })))
    await scene.poll()
    scene.hostile = null
  }
  for (const { what, text } of hostileCases(ended, 3)) await flow(`an order, ${what}`, isPost, text)
  for (const { what, text } of hostileCases(ended, 3)) await flow(`a question, ${what}`, isStatus, text)
  for (const { what, text } of hostileCases(line, 2)) await flow(`a result, ${what}`, isResults, `${text}\n`)
  faults.push(...(await unendedTasks(scene)), ...faultIn('the list', await send(scene, '/v1/messages/batches')))
  return faults
}

async function characters(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  for (const { what, text } of hostileCases({ id: 'char_vendor', name: 'Luna', created_at: 1 })) {
    const form = new FormData()
    form.set('name', 'Luna')
    form.set('video', new File([mp4Of({ seconds: 3, width: 1280, height: 720 })], 'cat.mp4', { type: 'video/mp4' }))
    scene.hostile = { to: isPost, script: textScript(text) }
    faults.push(...faultIn(what, await send(scene, '/v1/videos/characters', form)))
    rest(scene)
  }
  return faults
}

const contentTypes = [
  'video/mp4',
  'Video/MP4; codecs="x"',
  'text/html',
  '',
  'video/',
  `video/${'x'.repeat(5_000)}`,
  'null',
  'video/mp4,text/html',
]

async function copies(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  await setOptions(scene, { TaskResultHours: 24, TaskResultGigabytes: 1 })
  for (const type of contentTypes) {
    scene.right = (request) =>
      request.path.includes('/content') ? content(request, type) : json(isPost(request) ? { ...video, status: 'queued' } : video)
    faults.push(...faultIn(type, await send(scene, '/v1/videos', { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })))
    await scene.poll()
    scene.clock.advance(6_000)
    // Holds: this job returns what it has started.
    await ((await scene.run('copy-results')) as { readonly done: Promise<unknown> }).done
  }
  await setOptions(scene, { TaskResultHours: 0 })
  return faults
}

async function balances(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  const responses: Readonly<Record<number, object>> = {
    1: { hard_limit_usd: 10, has_payment_method: true, total_usage: 300 },
    20: { data: { total_credits: 20, total_usage: 5 } },
    36: { is_available: true, balance_infos: [{ currency: 'CNY', total_balance: '7.5' }] },
  }
  const ask = async (what: string, path: string): Promise<void> => {
    const response = await scene.app.request(path, { headers: scene.admin.headers })
    faults.push(...faultIn(what, { status: response.status, text: await response.text() }))
    rest(scene)
  }
  for (const [type, right] of Object.entries(responses)) {
    for (const { what, text } of hostileCases(right)) {
      scene.right = () => textScript(text)
      await ask(`type ${type}, ${what}`, `/api/channel/update_balance/${scene.channels[Number(type)]}/`)
    }
    scene.right = () => json(right)
    await ask(`type ${type}`, `/api/channel/update_balance/${scene.channels[Number(type)]}/`)
  }
  for (const { what, text } of hostileCases({ object: 'list', data: [{ id: 'model-a', object: 'model' }, { id: 'model-b' }] })) {
    scene.right = () => textScript(text)
    await ask(`models, ${what}`, `/api/channel/${scene.channels[1]}/upstream_models`)
  }
  return faults
}

async function tests(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  const ask = async (what: string): Promise<void> => {
    const response = await scene.app.request(`/api/channel/test/${scene.channels[1]}`, { headers: scene.admin.headers })
    faults.push(...faultIn(what, { status: response.status, text: await response.text() }))
    rest(scene)
  }
  for (const right of [chatResponse('Hello', usage), refusal])
    for (const { what, text } of hostileCases(right, 2)) {
      scene.right = () => textScript(text, right === refusal ? 400 : 200)
      await ask(what)
    }
  return faults
}

async function refusals(scene: HostileScene): Promise<Faults> {
  const faults: string[] = []
  const { app } = scene
  await setOptions(scene, { AutomaticDisableChannelEnabled: true })
  const rule = {
    name: 'channels',
    kind: 'channel',
    scope: 'all',
    threshold: 0,
    target: 'webhook',
    url: 'https://hooks.example.com/x',
  } as const
  await app.data(contract.notification.create, rule, scene.admin)
  const id = scene.refused
  const right = { error: { message: 'Incorrect API key provided', type: 'invalid_request_error', param: null, code: 'invalid_api_key' } }
  for (const { what, text } of hostileCases(right)) {
    scene.right = () => textScript(text, 401)
    faults.push(
      ...faultIn(what, await send(scene, '/v1/chat/completions', { model: 'refused-model', messages: [{ role: 'user', content: 'Hi' }] })),
    )
    await app.app.ledger.drain()
    await app.data(contract.channel.update, { id, status: 1 }, scene.admin)
    rest(scene)
  }
  await setOptions(scene, { AutomaticDisableChannelEnabled: false })
  return faults
}

const all: Readonly<Record<Scenario, (scene: HostileScene) => Promise<Faults>>> = {
  ...{ chats, responses, videos, songs, pictures: images, batches, characters, copies, balances, tests, refusals },
}

/** @returns what went wrong */
export async function runScenario(name: Scenario, scene: HostileScene): Promise<Faults> {
  scene.hostile = null
  return await all[name](scene)
}
