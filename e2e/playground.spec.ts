import type { Page } from '@playwright/test'
import type { TestUser } from '../apps/server/test/app.ts'
import { chatChunk, chatResponse, chatStream, events, json, usageChunk } from '../apps/server/test/fake-upstream.ts'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, logOut, signIn, test } from './support/test.ts'

/** An account with quota and a token, and a channel with two models for chats. */
async function lab(page: Page, gateway: Gateway): Promise<TestUser> {
  await makeChannel(gateway, 'chats', { models: 'gpt-4o-mini,gpt-4o' })
  const user = await gateway.ask('user', { quota: 10_000_000 })
  await gateway.ask('tokens', { owner: user, names: ['lab'] })
  await signIn(page, gateway, user, 1)
  return user
}

const prompt = (page: Page) => page.getByRole('textbox', { name: 'Prompt', exact: true })
const response = (page: Page, model = 'gpt-4o-mini') => page.getByRole('region', { name: `Response from ${model}`, exact: true })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function choose(page: Page, model: string, label = 'Model'): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(model)
  await page.getByRole('option', { name: model, exact: true }).click()
}

async function ask(page: Page, text: string): Promise<void> {
  await prompt(page).fill(text)
  await prompt(page).press('Enter')
}

/** The bodies of the chats that reached the vendor. */
async function receivedChats(gateway: Gateway) {
  const all = await gateway.ask('received', null)
  return all.filter(({ path }) => path.endsWith('/chat/completions')).map(({ body }) => JSON.parse(body))
}

test('a prompt is completed in a stream, with its tokens, cost and times, and stays in the history of this browser', async ({
  page,
  gateway,
}) => {
  await lab(page, gateway)
  await page.goto('/playground')
  await expect(page.getByText('What would you like to try?')).toBeVisible()
  await expect(button(page, 'Send')).toBeDisabled()
  await choose(page, 'gpt-4o-mini')
  await gateway.ask('script', [
    events(
      [chatChunk({ content: 'A **gate** for ' }), chatChunk({ content: 'water' })],
      [
        { do: 'wait', name: 'rest' },
        { do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ content: '.\n\n```js\nopen()\n```' }, 'stop'))}\n\n` },
        { do: 'send', bytes: `data: ${JSON.stringify(usageChunk(1_000, 40))}\n\ndata: [DONE]\n\n` },
      ],
    ),
  ])
  await ask(page, 'What is a sluice?')
  await expect(response(page).getByText('A gate for water')).toBeVisible()
  await expect(response(page)).toHaveAttribute('aria-busy', 'true')
  await gateway.ask('release', 'rest')
  await expect(response(page)).toHaveAttribute('aria-busy', 'false')
  await expect(response(page).locator('strong')).toHaveText('gate')
  await expect(response(page).locator('pre')).toHaveText('open()')
  await expect(response(page).getByText('1,000 → 40')).toBeVisible()
  // 1,000 tokens at 0.15 dollars a million, and 40 at 0.60.
  await expect(response(page).getByText('$0.000174')).toBeVisible()
  await expect(response(page).getByText('First token')).toBeVisible()
  expect(await receivedChats(gateway)).toMatchObject([
    { model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'What is a sluice?' }] },
  ])
  await expectAccessible(page)

  await page.reload()
  await expect(page.getByText('What would you like to try?')).toBeVisible()
  await button(page, 'History').click()
  await page.getByRole('button', { name: /^What is a sluice\?/ }).click()
  await expect(response(page).getByText('A gate for water')).toBeVisible()
  // It goes on where it was.
  await gateway.ask('script', [chatStream(['It opens.'])])
  await ask(page, 'And then?')
  await expect(page.getByText('It opens.')).toBeVisible()
  expect((await receivedChats(gateway))[1].messages.map(({ role }: { readonly role: string }) => role)).toEqual([
    'user',
    'assistant',
    'user',
  ])
  await response(page).nth(1).getByRole('link', { name: 'Show in log' }).click()
  await expect(page).toHaveURL(/\/log\?request=/)
  await expect(page.getByRole('table').locator('tbody').getByRole('row')).toHaveCount(1)
})

test('what a response costs is taken at once from the balance that the menu of the account shows', async ({ page, gateway }) => {
  const { username } = await lab(page, gateway)
  await page.goto('/playground')
  const balance = async () => {
    await page.getByRole('button', { name: /^Account menu/ }).press('Enter')
    const text = await page.getByText(/^Balance/).textContent()
    await page.keyboard.press('Escape')
    return text
  }
  await choose(page, 'gpt-4o')
  expect(await balance(), username).toBe('Balance $20.00')
  await gateway.ask('script', [events([chatChunk({ content: 'a gate' }, 'stop'), usageChunk(9_000, 40)])])
  await ask(page, 'What is a sluice? '.repeat(500))
  await expect(response(page, 'gpt-4o').getByText('Cost')).toBeVisible()
  await expect.poll(balance).not.toBe('Balance $20.00')
})

test('two models respond side by side, each with its own earlier responses', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await button(page, 'Compare with another model').click()
  await expect(page.getByRole('combobox', { name: 'Model 2' })).toHaveText('gpt-4o')
  await ask(page, 'Hello')
  await expect(response(page).getByText('Hello')).toBeVisible()
  await expect(response(page, 'gpt-4o').getByText('Hello')).toBeVisible()
  const first = await receivedChats(gateway)
  expect(first.map(({ model }) => model).toSorted()).toEqual(['gpt-4o', 'gpt-4o-mini'])
  await button(page, 'Remove gpt-4o').click()
  await expect(response(page, 'gpt-4o')).toHaveCount(0)
  await expectAccessible(page)
})

test('three models respond side by side, and no fourth is offered', async ({ page, gateway }) => {
  await lab(page, gateway)
  await makeChannel(gateway, 'more', { models: 'gpt-4.1,gpt-4.1-mini' })
  await page.goto('/playground?model=gpt-4o-mini')
  const compare = button(page, 'Compare with another model')
  await compare.click()
  await compare.click()
  await expect(page.getByRole('combobox', { name: 'Model 3' })).toBeVisible()
  await expect(compare).toHaveCount(0)
  await ask(page, 'Hello')
  await expect(page.getByRole('region', { name: /^Response from / }).filter({ hasText: 'Hello from upstream' })).toHaveCount(3)
  const models: readonly string[] = (await receivedChats(gateway)).map(({ model }) => model)
  expect(models).toHaveLength(3)
  expect(new Set(models).size).toBe(3)
})

test('finished parts of a completion are not rendered again while the rest is written', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await gateway.ask('script', [
    events(
      [chatChunk({ content: 'A *whole* paragraph.\n\nA list:\n\n- one' })],
      [
        { do: 'wait', name: 'rest' },
        { do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ content: '\n- two\n\nThe end.' }, 'stop'))}\n\n` },
        { do: 'send', bytes: 'data: [DONE]\n\n' },
      ],
    ),
  ])
  await ask(page, 'Write')
  await expect(response(page).getByRole('listitem')).toHaveText(['one'])
  const rendered = await response(page).locator('em').elementHandle()
  await gateway.ask('release', 'rest')
  await expect(response(page).getByText('The end.')).toBeVisible()
  await expect(response(page).getByRole('listitem')).toHaveText(['one', 'two'])
  expect(await rendered?.evaluate((element) => element.isConnected)).toBe(true)
})

test('a response is stopped, and what arrived of it is kept and paid', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await gateway.ask('script', [events([chatChunk({ content: 'One, two' })], [{ do: 'hang' }])])
  await ask(page, 'Count')
  await expect(response(page).getByText('One, two')).toBeVisible()
  await button(page, 'Stop').click()
  await expect(response(page).getByText('Stopped')).toBeVisible()
  await expect(response(page).getByText('One, two')).toBeVisible()
  await expect(button(page, 'Send')).toBeVisible()
  // It can be retried.
  await gateway.ask('script', [chatStream(['Three'])])
  await response(page).getByRole('button', { name: 'Retry with gpt-4o-mini' }).click()
  await expect(response(page).getByText('Three')).toBeVisible()
  await expect(page.getByText('One, two')).toHaveCount(0)
})

test('a refusal is shown where the response would be; the prompt is edited and sent again', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await gateway.ask('script', [json({ error: { message: 'The prompt is too rude', type: 'invalid_request_error' } }, 400)])
  await ask(page, 'Rude words')
  await expect(response(page).getByRole('alert')).toContainText('The prompt is too rude')
  await button(page, 'Edit prompt').click()
  await page.getByRole('textbox', { name: 'Edit prompt' }).fill('Kind words')
  await button(page, 'Send again').click()
  await expect(response(page).getByText('Hello')).toBeVisible()
  await expect(page.getByText('Rude words')).toHaveCount(0)
  expect((await receivedChats(gateway))[1].messages).toEqual([{ role: 'user', content: 'Kind words' }])
})

test('a prompt that is edited while it is completed leaves nothing of the old completion in the new one', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await gateway.ask('script', [events([chatChunk({ content: 'Old words' })], [{ do: 'hang' }])])
  await ask(page, 'First')
  await expect(response(page).getByText('Old words')).toBeVisible()
  await button(page, 'Edit prompt').click()
  await page.getByRole('textbox', { name: 'Edit prompt' }).fill('Second')
  await gateway.ask('script', [
    events([chatChunk({ content: 'New words' })], [{ do: 'wait', name: 'end' }, ...chatStream([' go on']).slice(1)]),
  ])
  await button(page, 'Send again').click()
  await expect(response(page).getByText('New words')).toBeVisible()
  await expect(response(page)).toHaveAttribute('aria-busy', 'true')
  await gateway.ask('release', 'end')
  await expect(response(page).getByText('New words go on')).toBeVisible()
  await expect(response(page)).toHaveAttribute('aria-busy', 'false')
  await expect(page.getByText('Stopped')).toHaveCount(0)
  await expect(page.getByText('Old words')).toHaveCount(0)
})

test('a model calls a function, the reader says what it returns, and the model goes on', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await page.getByText('Tools', { exact: true }).click()
  const tools = page.getByRole('textbox', { name: 'Functions (JSON array)' })
  await tools.fill('{"name": "rain"}')
  await expect(page.getByText('Enter a JSON array')).toBeVisible()
  await prompt(page).fill('Will it rain?')
  await expect(button(page, 'Send')).toBeDisabled()
  await tools.fill('[{"name": "rain", "parameters": {"type": "object", "properties": {}}}]')
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'rain', arguments: '{"day":1}' } }
  await gateway.ask('script', [
    events([chatChunk({ tool_calls: [call] }), chatChunk({}, 'tool_calls'), usageChunk(10, 5), '[DONE]']),
    chatStream(['Take an umbrella']),
  ])
  await prompt(page).press('Enter')
  await page.getByRole('textbox', { name: 'Result of rain' }).fill('wet')
  await expect(page.getByText('Waiting for tool results')).toBeVisible()
  await expectAccessible(page)
  await button(page, 'Send results').click()
  await expect(page.getByText('Take an umbrella')).toBeVisible()
  const [first, second] = await receivedChats(gateway)
  expect(first.tools).toEqual([{ type: 'function', function: { name: 'rain', parameters: { type: 'object', properties: {} } } }])
  expect(second.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'rain', arguments: '{"day":1}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'wet' },
  ])
})

test('images and texts are sent along', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  const image = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
  const files = [
    { name: 'dot.png', mimeType: 'image/png', buffer: image },
    { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# Notes') },
    { name: 'tool.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 254]) },
  ]
  await page.locator('input[type=file]').setInputFiles(files)
  await expectToast(page, 'tool.bin is not an image, PDF or text file')
  await ask(page, 'What is this?')
  await expect(response(page).getByText('Hello')).toBeVisible()
  await expect(page.getByRole('img', { name: 'dot.png' })).toBeVisible()
  const [{ messages }] = await receivedChats(gateway)
  expect(messages[0].content).toEqual([
    { type: 'image_url', image_url: { url: `data:image/png;base64,${image.toString('base64')}` } },
    { type: 'text', text: 'notes.md:\n\n# Notes' },
    { type: 'text', text: 'What is this?' },
  ])
})

test('what a model writes is shown and never run, and no image of another site is loaded', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  const hostile = [
    '<img src=x onerror="window.hit=1"><script>window.hit=1</script>',
    '[press](javascript:window.hit=1) ![a](https://evil.example/x.png)',
    '<iframe srcdoc="<script>parent.hit=1</script>"></iframe>',
    '![b](data:image/svg+xml;base64,PHN2Zy8+)',
  ].join('\n\n')
  await gateway.ask('script', [json(chatResponse(hostile))])
  await page.getByText('Parameters', { exact: true }).click()
  await page.getByRole('switch', { name: 'Stream the response' }).click()
  await ask(page, 'Attack')
  await expect(response(page).getByText('<script>window.hit=1</script>')).toBeVisible()
  await response(page).getByText('press').click()
  expect(await page.evaluate(() => 'hit' in window)).toBe(false)
  expect(await response(page).locator('iframe, script, img').count()).toBe(0)
})

test('the request is shown as code that names no key', async ({ page, gateway }) => {
  const user = await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.')
  await button(page, 'Code').click()
  const sheet = page.getByRole('dialog', { name: 'Code for this request' })
  await expect(sheet.locator('pre')).toContainText('"content": "Be brief."')
  for (const language of ['Python', 'JavaScript']) {
    await sheet.getByRole('button', { name: language, exact: true }).click()
    await expect(sheet.locator('pre')).toContainText('SLUICE_KEY')
  }
  const [token] = (await gateway.api('/api/token/', { as: user })) as readonly { readonly key: string }[]
  expect(await sheet.textContent()).not.toContain(token?.key)
  await expectAccessible(page)
})

test('conversations of one account are not shown to another, and are deleted', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await ask(page, 'A secret')
  await expect(response(page).getByText('Hello')).toBeVisible()
  await button(page, 'History').click()
  const sheet = page.getByRole('dialog', { name: 'History' })
  await expect(sheet.getByRole('button', { name: /^A secret/ })).toBeVisible()
  const download = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Export as Markdown' }).click()
  expect((await download).suggestedFilename()).toBe('A secret.md')
  const data = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Export as JSON' }).click()
  const text = Buffer.concat(await (await (await data).createReadStream()).toArray()).toString('utf8')
  expect(JSON.parse(text)).toMatchObject({ models: ['gpt-4o-mini'], turns: [{ text: 'A secret' }] })
  const other = await gateway.ask('user', { quota: 1_000_000 })
  await gateway.ask('tokens', { owner: other, names: ['other'] })
  await page.evaluate((id) => localStorage.setItem('user', JSON.stringify({ id, username: 'other', role: 1, status: 1 })), other.id)
  const [name = '', value = ''] = (other.headers['cookie'] ?? '').split('=')
  await page.context().addCookies([{ name, value, url: gateway.url }])
  await page.reload()
  await button(page, 'History').click()
  await expect(page.getByText('No chats yet')).toBeVisible()
})

test('without a token the page says how to get one', async ({ page, gateway }) => {
  const user = await gateway.ask('user', {})
  await signIn(page, gateway, user, 1)
  await page.goto('/playground')
  await expect(page.getByText('No token is enabled')).toBeVisible()
  await expect(page.getByRole('link', { name: 'New token' })).toBeVisible()
})

test('the chat of the menu is the playground as long as no chat client is set', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/chat')
  await expect(page.getByRole('heading', { level: 1, name: 'Playground' })).toBeVisible()
})

const variables = (page: Page) => page.getByRole('group', { name: 'Variables' })

test('variables of the prompts have fields, are filled in when they are sent, and can be sent again with other values', async ({
  page,
  gateway,
}) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await expect(variables(page)).toHaveCount(0)
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Answer in {{tone}} words.')
  await prompt(page).fill('What is {{ thing }}? Keep {{this}}.')
  const fields = variables(page).getByRole('textbox')
  await expect(fields).toHaveCount(3)
  await variables(page).getByRole('textbox', { name: 'tone' }).fill('few')
  await variables(page).getByRole('textbox', { name: 'thing', exact: true }).fill('a sluice')
  await expectAccessible(page)
  await prompt(page).press('Enter')
  await expect(response(page).getByText('Hello')).toBeVisible()
  expect((await receivedChats(gateway))[0].messages).toEqual([
    { role: 'system', content: 'Answer in few words.' },
    { role: 'user', content: 'What is a sluice? Keep {{this}}.' },
  ])
  await expect(page.getByText('What is a sluice? Keep {{this}}.')).toBeVisible()
  // Of the variables only that of the system prompt is still used.
  await expect(fields).toHaveCount(1)
  await prompt(page).fill('{{thing}}')
  await variables(page).getByRole('textbox', { name: 'thing', exact: true }).fill('a weir')
  await button(page, 'Edit prompt').click()
  await expect(page.getByRole('textbox', { name: 'Edit prompt' })).toHaveValue('What is {{ thing }}? Keep {{this}}.')
  await button(page, 'Send again').click()
  await expect(page.getByText('What is a weir? Keep {{this}}.')).toBeVisible()
  const second = async () => (await receivedChats(gateway))[1]?.messages[1]
  await expect.poll(second).toEqual({ role: 'user', content: 'What is a weir? Keep {{this}}.' })
  // The code is that of the prompt that is typed.
  await button(page, 'Code').click()
  await expect(page.getByRole('dialog', { name: 'Code for this request' }).locator('pre')).toContainText('"content": "a weir"')
})

test('a model beside others has settings of its own, and the same model is compared with itself', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await button(page, 'Compare with another model').click()
  await choose(page, 'gpt-4o-mini', 'Model 2')
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.')
  const whose = page.getByRole('group', { name: 'Settings for' })
  await whose.getByRole('button', { name: 'Model 2' }).click()
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveCount(0)
  await page.getByRole('switch', { name: 'Override settings' }).click()
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveValue('Be brief.')
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Be long.')
  await page.getByText('Parameters', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Temperature' }).fill('hot')
  await prompt(page).fill('Hello')
  await expect(button(page, 'Send')).toBeDisabled()
  await page.getByRole('textbox', { name: 'Temperature' }).fill('1.5')
  await expect(whose.getByRole('button', { name: 'Model 2, overridden' })).toBeVisible()
  // A button that is half out of the window would count as a small one.
  await page.evaluate(() => scrollTo(0, 0))
  await expectAccessible(page)
  await prompt(page).press('Enter')
  await expect(response(page)).toHaveCount(2)
  await expect(response(page).getByText('Hello')).toHaveCount(2)
  const bodies = await receivedChats(gateway)
  expect(bodies.map(({ messages, temperature }) => [messages[0].content, temperature]).toSorted()).toEqual([
    ['Be brief.', undefined],
    ['Be long.', 1.5],
  ])
  await whose.getByRole('button', { name: 'Model 2, overridden' }).click()
  await page.getByRole('switch', { name: 'Override settings' }).click()
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveCount(0)
  await whose.getByRole('button', { name: 'All' }).click()
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveValue('Be brief.')
})

test('on a screen too narrow for both, the prompt comes first and the settings are in a sheet', async ({ page, gateway }) => {
  await page.setViewportSize({ width: 800, height: 900 })
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await expect(prompt(page)).toBeInViewport()
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveCount(0)
  await expectAccessible(page)
  await button(page, 'Settings').click()
  const sheet = page.getByRole('dialog', { name: 'Settings' })
  await sheet.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await ask(page, 'Hello')
  await expect(response(page).getByText('Hello')).toBeVisible()
  expect((await receivedChats(gateway))[0]).toMatchObject({ messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] })
})

test('prompts are saved by name, used again, replaced, and carried to another browser as a file', async ({ page, gateway }) => {
  await lab(page, gateway)
  await page.goto('/playground?model=gpt-4o-mini')
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Be {{tone}}.')
  await prompt(page).fill('Write to {{name}}.')
  await variables(page).getByRole('textbox', { name: 'name' }).fill('Ann')
  await button(page, 'Prompts').click()
  const sheet = page.getByRole('dialog', { name: 'Prompts' })
  await expect(sheet.getByText('No saved prompts yet')).toBeVisible()
  await sheet.getByRole('textbox', { name: 'Save current prompt as' }).fill('Letter')
  await sheet.getByRole('textbox', { name: 'Save current prompt as' }).press('Enter')
  const letter = sheet.getByRole('list', { name: 'Prompts' }).getByRole('button', { name: /^Letter/ })
  await expect(letter).toContainText('gpt-4o-mini · Write to {{name}}.')
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'Export all' }).click()
  const file = Buffer.concat(await (await (await download).createReadStream()).toArray())
  // A prompt saved under a name that exists is a new version of it.
  await sheet.getByRole('textbox', { name: 'Save current prompt as' }).fill('Letter')
  await sheet.getByRole('button', { name: 'Replace' }).click()
  await expect(letter).toHaveCount(1)

  await page.reload()
  await page.getByRole('textbox', { name: 'System prompt' }).fill('Something else')
  await button(page, 'Prompts').click()
  await letter.click()
  await expect(sheet).toHaveCount(0)
  await expect(prompt(page)).toHaveValue('Write to {{name}}.')
  await expect(page.getByRole('textbox', { name: 'System prompt' })).toHaveValue('Be {{tone}}.')
  await expect(variables(page).getByRole('textbox', { name: 'name' })).toHaveValue('Ann')
  await prompt(page).press('Enter')
  await expect(response(page).getByText('Hello')).toBeVisible()
  expect((await receivedChats(gateway))[0].messages).toEqual([
    { role: 'system', content: 'Be {{tone}}.' },
    { role: 'user', content: 'Write to Ann.' },
  ])

  await button(page, 'Prompts').click()
  await sheet.getByRole('button', { name: 'Delete “Letter”' }).click()
  await expect(sheet.getByText('No saved prompts yet')).toBeVisible()
  const chooser = sheet.locator('input[type=file]')
  await chooser.setInputFiles({ name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
  await expectToast(page, 'notes.json is not a prompts export')
  await chooser.setInputFiles({ name: 'prompts.json', mimeType: 'application/json', buffer: file })
  await expectToast(page, '1 prompt imported')
  await expect(letter).toContainText('Write to {{name}}.')
})

/** The accounts of the stored conversations. */
const storedAccounts = (page: Page) =>
  page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await settled(indexedDB.open('playground'))
    const rows: readonly { readonly account: number }[] = await settled(
      database.transaction('conversations').objectStore('conversations').getAll(),
    )
    database.close()
    return rows.map(({ account }) => account)
  })

const ends: ReadonlyArray<readonly [string, (page: Page, username: string) => Promise<void>]> = [
  ['logging out', logOut],
  [
    'the end of the session',
    async (page) => {
      await page.context().clearCookies()
      await page.goto('/token')
      await expect(page).toHaveURL('/login?expired=true')
    },
  ],
  [
    'deleting the account',
    async (page, username) => {
      await page.goto('/setting?tab=personal')
      await page.getByRole('button', { name: 'Delete account' }).click()
      await page.getByRole('dialog').getByRole('textbox').fill(username)
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL('/login')
    },
  ],
]
for (const [end, run] of ends) {
  test(`${end} deletes the conversations of the account from this browser, and those of others stay`, async ({ page, gateway }) => {
    const user = await lab(page, gateway)
    await page.goto('/playground')
    await choose(page, 'gpt-4o-mini')
    await ask(page, 'What is a sluice?')
    await expect(response(page).getByText('Hello from upstream')).toBeVisible()
    await expect.poll(() => storedAccounts(page)).toEqual([user.id])
    await page.evaluate(async () => {
      const request = indexedDB.open('playground')
      await new Promise((resolve) => {
        request.onsuccess = resolve
      })
      const store = request.result.transaction('conversations', 'readwrite').objectStore('conversations')
      store.put({ id: 'of another account', account: 1_000, updatedMs: 1, conversation: {} })
      request.result.close()
    })
    await run(page, user.username)
    await expect.poll(() => storedAccounts(page)).toEqual([1_000])
  })
}
