import { logRow } from './support/log-rows.ts'
import { expect, signIn, test } from './support/test.ts'

// Makes the image of the front page (`npm run readme-image`): a real server with the rows of a small office.

const now = Date.UTC(2026, 10, 21, 10, 0, 0)

interface Use {
  readonly channel: number
  readonly model: string
  /** Quota of an input token and of an output token. */
  readonly prices: readonly [input: number, output: number]
}

const channels = [
  { name: 'OpenAI', type: 1 },
  { name: 'Anthropic', type: 14 },
  { name: 'Groq', type: 29 },
  { name: 'DeepSeek', type: 36 },
  { name: 'vLLM in the office', type: 8 },
]
const uses: readonly Use[] = [
  { channel: 1, model: 'gpt-4o-mini', prices: [0.075, 0.3] },
  { channel: 2, model: 'claude-sonnet-4-5', prices: [1.5, 7.5] },
  { channel: 1, model: 'gpt-4o', prices: [1.25, 5] },
  { channel: 3, model: 'llama-3.3-70b-versatile', prices: [0.295, 0.395] },
  { channel: 4, model: 'deepseek-chat', prices: [0.15, 0.6] },
  { channel: 5, model: 'Qwen/Qwen3-32B', prices: [0, 0] },
]
const tokens = ['support-bot', 'editor', 'nightly tests', 'notebook', '客服机器人']

/** The n-th row before now, with varied numbers. */
function rowOf(owner: { readonly id: number; readonly username: string }, index: number) {
  const { channel, model, prices } = uses[(index * 5 + 1) % uses.length] ?? { channel: 0, model: '', prices: [0, 0] }
  const prompt = 310 + ((index * 7_919) % 9_000)
  const completion = 24 + ((index * 104_729) % 1_400)
  return logRow(owner, {
    created_at: now / 1000 - index * 13 - ((index * 31) % 11),
    token_name: tokens[(index * 2) % tokens.length] ?? '',
    model_name: model,
    upstream_model: model,
    channel_id: channel,
    prompt_tokens: prompt,
    completion_tokens: completion,
    quota: Math.ceil(prompt * prices[0] + completion * prices[1]),
    content: `model ${prices[0]} × group 1`,
    end_reason: 'complete',
  })
}

test('the image of the front page', async ({ page, gateway }) => {
  await page.clock.setFixedTime(now)
  for (const channel of channels) await gateway.ask('channel', { ...channel, models: 'gpt-4o-mini' })
  const rows = Array.from({ length: 600 }, (_, index) => rowOf({ id: gateway.root.id, username: index % 7 < 4 ? 'ann' : 'ben' }, index))
  await gateway.ask('logs', rows.toReversed())
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await page.getByRole('button', { name: 'Show the total' }).click()
  await expect(page.getByRole('table', { name: 'Logs' }).getByRole('row')).toHaveCount(11)
  await expect(page.getByText(/\d[kM]? tokens$/)).toBeVisible()
  await page.screenshot({ path: 'docs/images/console.png', animations: 'disabled' })
})
