import type { Commands } from './gateway-host.ts'

type Row = Parameters<Commands['logs']>[1][number]

interface Model {
  readonly name: string
  readonly upstream: string
  readonly ratio: string
}

const models: readonly [Model, ...Model[]] = [
  { name: 'gpt-4o-mini', upstream: 'gpt-4o-mini', ratio: '0.075' },
  { name: 'claude-sonnet-4-5', upstream: 'claude-sonnet-4-5-20250929', ratio: '1.5' },
  { name: 'gemini-2.5-flash', upstream: 'gemini-2.5-flash', ratio: '0.15' },
  { name: 'deepseek-reasoner', upstream: 'deepseek-reasoner', ratio: '0.275' },
  { name: 'qwen3-235b-a22b-thinking-2507', upstream: 'qwen3-235b-a22b-thinking-2507', ratio: '0.35' },
]
const tokens: readonly [string, ...string[]] = ['production-api', 'ci', 'notebook of ann', '客服机器人', 'nightly-evaluation-of-all-models']

/** The n-th item, repeating the list. */
function nth<T>(list: readonly [T, ...T[]], index: number): T {
  return list[index % list.length] ?? list[0]
}

const nothing = {
  token_name: '',
  model_name: '',
  upstream_model: '',
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  channel_id: 0,
  request_id: '',
  elapsed_ms: 0,
  first_byte_ms: 0,
  is_stream: 0,
  attempts: 0,
  end_reason: '',
  estimated: 0,
  usage_suspect: 0,
  cost: null,
  served: null,
  detail: '',
} as const

interface Owner {
  readonly id: number
  readonly username: string
}

/** One row with default values and those of the test. */
export function logRow({ id, username }: Owner, row: Partial<Row> = {}): Row {
  return { ...nothing, user_id: id, username, created_at: 1_760_000_000, type: 2, content: '', ...row }
}

/** Rows like those of a busy gateway; the last is the newest. */
export function busyLog(owner: Owner, count: number, until: number): readonly Row[] {
  return Array.from({ length: count }, (_, index) => {
    const created_at = until - (count - 1 - index) * 97
    if (index % 41 === 7) return logRow(owner, { created_at, type: 1, quota: 5_000_000, content: 'Redeemed a code of $10.00' })
    if (index % 53 === 11) return logRow(owner, { created_at, type: 3, content: 'An administrator set the quota to $25.00' })
    if (index % 61 === 17) return logRow(owner, { created_at, type: 4, content: 'A new account received $0.20' })
    return request(owner, index, created_at)
  })
}

function request(owner: Owner, index: number, created_at: number): Row {
  const model = nth(models, index * 7)
  const hasFailed = index % 29 === 3
  const isGone = index % 37 === 9
  const prompt_tokens = 180 + ((index * 7919) % 42_000)
  const completion_tokens = hasFailed ? 0 : 12 + ((index * 104_729) % 3_100)
  return logRow(owner, {
    created_at,
    type: index % 67 === 5 ? 5 : 2,
    token_name: nth(tokens, index * 3),
    model_name: model.name,
    upstream_model: model.upstream,
    channel_id: 1 + (index % 7),
    quota: hasFailed ? 0 : Math.ceil((prompt_tokens + completion_tokens * 4) * Number(model.ratio)),
    prompt_tokens: hasFailed ? 0 : prompt_tokens,
    completion_tokens,
    cached_tokens: index % 3 === 0 ? Math.floor(prompt_tokens / 2) : 0,
    content: hasFailed ? 'failed: upstream_rate_limited after 3 attempts' : `${model.name} ${model.ratio} × group 1 × completion 4`,
    request_id: `req-${String(index).padStart(4, '0')}-5f3a9c1e7b2d`,
    elapsed_ms: 640 + ((index * 1_031) % 28_000),
    first_byte_ms: hasFailed ? 0 : 210 + ((index * 313) % 2_400),
    is_stream: index % 4 === 0 ? 0 : 1,
    attempts: hasFailed ? 3 : 1,
    served: hasFailed ? 0 : isGone ? null : 1,
    end_reason: hasFailed ? 'failed' : isGone ? 'client_gone' : 'complete',
    estimated: index % 23 === 0 ? 1 : 0,
  })
}
