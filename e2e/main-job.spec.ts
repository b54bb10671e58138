import OpenAI from 'openai'
import { expect, expectToast, test } from './support/test.ts'

test('from an empty server to a charged completion: channel, token, streamed completion, log', async ({ page, gateway }) => {
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await test.step('log in', async () => {
    await page.goto('/login')
    await page.getByLabel('Username or email').fill('root')
    await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/token')
  })

  await test.step('add a channel', async () => {
    await menu.getByRole('link', { name: 'Channels' }).click()
    await page.getByRole('main').getByRole('link', { name: 'New channel' }).first().click()
    await page.getByRole('textbox', { name: 'Name (required)' }).fill('upstream of the test')
    await page.getByLabel(/^Key/).fill('upstream-key')
    await page.getByLabel('Base URL').fill(`${gateway.upstreamUrl}/`)
    await page.getByRole('combobox', { name: 'Models' }).fill('gpt-4o-mini')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, 'channel created')
    await menu.getByRole('link', { name: 'Channels' }).click()
    await expect(page.getByRole('rowheader').or(page.getByRole('cell')).filter({ hasText: 'upstream of the test' })).toBeVisible()
  })

  const key = await test.step('make a token', async () => {
    await menu.getByRole('link', { name: 'Tokens' }).click()
    await page.getByRole('main').getByRole('link', { name: 'New token' }).first().click()
    await page.getByRole('textbox', { name: 'Name (required)' }).fill('my program')
    await page.getByRole('button', { name: 'Create token' }).click()
    await expectToast(page, 'token created')
    const dialog = page.getByRole('dialog', { name: /my program/ })
    const key = (await dialog.getByRole('code').textContent()) ?? ''
    expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/)
    await dialog.getByRole('link', { name: 'All tokens' }).click()
    await expect(page).toHaveURL('/token')
    await expect(page.getByRole('rowheader', { name: 'my program' })).toBeVisible()
    return key
  })

  await test.step('use it with the official client', async () => {
    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const stream = await client.chat.completions.create({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Say hello.' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      usage ??= chunk.usage
    }
    expect(text).toBe('Hello from upstream')
    expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3 })
    expect((await gateway.ask('received', null)).map(({ path, headers }) => [path, headers['authorization']])).toEqual([
      ['/v1/chat/completions', 'Bearer upstream-key'],
    ])
  })

  await test.step('see what it cost', async () => {
    await menu.getByRole('link', { name: 'Logs' }).click()
    const row = page.getByRole('table', { name: 'Logs' }).getByRole('row').nth(1)
    // 10 input tokens at a ratio of 0.075 and 3 output tokens at four times that: 1.65, rounded up to a whole unit of quota.
    await expect(row.getByRole('cell')).toHaveText([
      '1',
      'root',
      'my program',
      'Consume',
      'gpt-4o-mini',
      '10',
      '3',
      '$0.000004',
      /0\.075/,
      '',
    ])
    await page.getByRole('button', { name: 'Show the total' }).click()
    await expect(page.getByText('13 tokens')).toBeVisible()
    await menu.getByRole('link', { name: 'Tokens' }).click()
    await page.getByRole('main').getByRole('rowheader', { name: 'my program' }).waitFor()
    expect(await gateway.api('/api/token/?p=0')).toMatchObject([{ name: 'my program', used_quota: 2, remain_quota: 499_998 }])
    expect(await gateway.ask('inconsistencies', null)).toEqual([])
  })
})
