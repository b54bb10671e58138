import type Anthropic from '@anthropic-ai/sdk'
import { anthropicFor } from '../batch-scene.ts'
import { type FileBatchForm, fileBatchVendor } from '../file-batch-vendor.ts'
import type { TaskScene } from '../task-scene.ts'

// Vendors that respond to files of chats: each speaks as its own pages say (see the forms in @sluice/vendors).

/** OpenAI API reference, "Batches". */
const openaiForm: FileBatchForm = {
  root: '/v1',
  upload: '/v1/files',
  batches: '/v1/batches',
  purpose: 'batch',
  toMembers: ({ id, params, input, status, output, errors, counts }) => ({
    ...{ id, object: 'batch', ...params, input_file_id: input, status, output_file_id: output, error_file_id: errors },
    ...{ created_at: 1_700_000_000, completed_at: status === 'in_progress' ? null : 1_700_000_060 },
    request_counts: { total: counts.completed + counts.failed, ...counts },
    errors: status === 'failed' ? { object: 'list', data: [{ code: 'invalid_json_line', message: 'line 1 is no JSON' }] } : null,
  }),
}

/** Azure OpenAI, "Getting started with Azure OpenAI batch deployments". */
const azureForm: FileBatchForm = { ...openaiForm, root: '/openai/v1', upload: '/openai/v1/files', batches: '/openai/v1/batches' }

/** docs.bigmodel.cn, "Create a batch". */
const zhipuForm: FileBatchForm = { ...openaiForm, root: '/api/paas/v4', upload: '/api/paas/v4/files', batches: '/api/paas/v4/batches' }

/** docs.together.ai, "Create a batch job". */
const togetherForm: FileBatchForm = {
  ...openaiForm,
  upload: '/v1/files/upload',
  purpose: 'batch-api',
  toMembers: ({ id, input, status, output, errors }) => ({
    ...{ id, input_file_id: input, status: status.toUpperCase(), output_file_id: output, error_file_id: errors },
    ...{ created_at: '2026-11-27T00:00:00Z', completed_at: status === 'in_progress' ? '' : '2026-11-27T00:01:00Z', endpoint: '' },
  }),
  wrapCreated: (job) => ({ job, warning: '' }),
}

const mistralStates: Readonly<Record<string, string>> = {
  in_progress: 'RUNNING',
  completed: 'SUCCESS',
  cancelling: 'CANCELLATION_REQUESTED',
}

/** Mistral's client 2.7, `BatchJob`. */
const mistralForm: FileBatchForm = {
  ...openaiForm,
  batches: '/v1/batch/jobs',
  toMembers: ({ id, params, lines, status, output, errors, counts }) => ({
    ...{ id, object: 'batch', ...params, status: mistralStates[status] ?? status.toUpperCase(), output_file: output, error_file: errors },
    ...{ errors: [], created_at: 1_700_000_000, completed_at: status === 'in_progress' ? null : 1_700_000_060 },
    ...{ total_requests: lines.length, succeeded_requests: counts.completed, failed_requests: counts.failed },
  }),
}

export const fileBatchCases = {
  openai: {
    type: 1,
    models: 'gpt-4o-mini,gpt-4.1,gpt-5.4',
    form: openaiForm,
    model: 'gpt-4o-mini',
    path: '',
    endpoint: '/v1/chat/completions',
  },
  azure: { type: 3, models: 'gpt-5.4-mini', form: azureForm, model: 'gpt-5.4-mini', path: '', endpoint: '/chat/completions' },
  'azure-v1': {
    type: 3,
    models: 'gpt-5.4-mini',
    form: azureForm,
    model: 'gpt-5.4-mini',
    path: '/openai/v1',
    endpoint: '/chat/completions',
  },
  groq: {
    type: 29,
    models: 'openai/gpt-oss-20b',
    form: openaiForm,
    model: 'openai/gpt-oss-20b',
    path: '',
    endpoint: '/v1/chat/completions',
  },
  alibaba: { type: 17, models: 'qwen-plus', form: openaiForm, model: 'qwen-plus', path: '/v1', endpoint: '/v1/chat/completions' },
  moonshot: { type: 25, models: 'kimi-k2.6,kimi-k3', form: openaiForm, model: 'kimi-k2.6', path: '', endpoint: '/v1/chat/completions' },
  zhipu: { type: 16, models: 'glm-4-plus,glm-5', form: zhipuForm, model: 'glm-4-plus', path: '', endpoint: '/v4/chat/completions' },
  together: {
    type: 39,
    // The name is one of Groq's, too, which has a discount.
    models: 'openai/gpt-oss-20b',
    form: togetherForm,
    model: 'openai/gpt-oss-20b',
    path: '',
    endpoint: '/v1/chat/completions',
  },
  novita: { type: 41, models: 'zai-org/glm-5.2', form: openaiForm, model: 'zai-org/glm-5.2', path: '', endpoint: '/v1/chat/completions' },
  mistral: {
    type: 28,
    models: 'mistral-small-2603',
    form: mistralForm,
    model: 'mistral-small-2603',
    path: '',
    endpoint: '/v1/chat/completions',
  },
} as const
export type FileBatchCase = keyof typeof fileBatchCases

/** A channel of its own for a vendor, and an account with its client. */
export async function setUpFileBatches(scene: TaskScene, name: FileBatchCase, { quota }: { readonly quota: number }) {
  const { app } = scene
  const { type, models, form, path } = fileBatchCases[name]
  const vendor = fileBatchVendor(form)
  app.upstream.always(vendor.response)
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const channel = await app.make.channel({ type, key: `key-of-${name}`, models, groups, baseUrl: app.upstream.url + path })
  const account = async (balance: number) => {
    const user = await app.make.user({ quota: balance, groups })
    const { key } = await app.make.token(user, { isUnlimited: true })
    return { user, key, client: anthropicFor(scene, key) }
  }
  return { vendor, channel, account, ...(await account(quota)) }
}

type LineParams = Partial<Anthropic.MessageCreateParamsNonStreaming> & { readonly model: string }

/** A request of a batch. */
export const askInBatch = (custom_id: string, params: LineParams) => ({
  custom_id,
  params: { max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }], ...params },
})

/** A line of results with a chat. */
export const batchOutputLine = (custom_id: string, model: string, body: object = {}) => ({
  id: `line-${custom_id}`,
  custom_id,
  response: {
    status_code: 200,
    request_id: 'r1',
    body: {
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1_000, completion_tokens: 200, total_tokens: 1_200 },
      ...body,
    },
  },
  error: null,
})
