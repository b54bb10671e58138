import type { Page } from '@playwright/test'
import type { TestUser } from '../apps/server/test/app.ts'
import { mp4Of } from '../apps/server/test/mp4.ts'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

/** An account with quota, a token, and a channel that makes videos. */
async function studio(gateway: Gateway): Promise<TestUser> {
  await gateway.ask('videos', { status: 'queued', progress: 0 })
  await makeChannel(gateway, 'films', { type: 48, models: 'sora-2,sora-2-pro' })
  const user = await gateway.ask('user', { quota: 10_000_000 })
  await gateway.ask('tokens', { owner: user, names: ['studio'] })
  await gateway.ask('tokenRow', { id: 1, name: 'studio' })
  return user
}

const rows = (page: Page) => page.getByRole('table', { name: 'Tasks' }).locator('tbody').getByRole('row')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function chooseLength(page: Page, seconds: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Length in seconds' }).click()
  await page.getByRole('option', { name: seconds, exact: true }).click()
}

async function create(page: Page, prompt: string): Promise<void> {
  await page.goto('/task')
  await page.getByRole('link', { name: 'New task' }).first().click()
  await page.getByRole('textbox', { name: /^Prompt/ }).fill(prompt)
  await page.getByRole('combobox', { name: /^Model/ }).fill('sora-2')
  await chooseLength(page, '8')
  await page.getByRole('combobox', { name: 'Size' }).fill('1280x720')
  await button(page, 'Create').click()
}

test('a video is created, its progress is seen, it is played, and deleted', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await signIn(page, gateway, user, 1)
  await page.goto('/task')
  await expect(page.getByText('No tasks yet')).toBeVisible()
  await create(page, 'A paper boat in the rain')
  await expectToast(page, 'Task submitted. Track it in the list.')
  await expect(page).toHaveURL(/\/task\?row=\d+/)
  const sheet = page.getByRole('dialog', { name: 'A paper boat in the rain' })
  await expect(sheet.getByText('Queued')).toBeVisible()
  const createRequests = (await gateway.ask('received', null)).filter(({ method, path }) => method === 'POST' && path === '/v1/videos')
  expect(createRequests.map(({ body }) => JSON.parse(body))).toEqual([
    { model: 'sora-2', prompt: 'A paper boat in the rain', seconds: '8', size: '1280x720' },
  ])

  await gateway.ask('videos', { status: 'in_progress', progress: 40 })
  await expect(sheet.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('value', '40', { timeout: 20_000 })
  await expect(sheet.getByText('$0.80')).toBeVisible()

  await gateway.ask('videos', { status: 'completed', progress: 100 })
  const player = sheet.locator('video')
  await expect(player).toBeVisible({ timeout: 20_000 })
  await expect.poll(() => player.evaluate((video: HTMLVideoElement) => [video.videoWidth, video.videoHeight])).toEqual([64, 36])
  await player.evaluate((video: HTMLVideoElement) => {
    video.muted = true
    return video.play()
  })
  await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime)).toBeGreaterThan(0.2)
  await expect(sheet.getByText('Charged')).toBeVisible()
  await page.keyboard.press('Escape')
  // The sheet has a button of the same name until it has closed.
  await expect(sheet).toBeHidden()
  await expect(rows(page).first()).toContainText('Completed')

  await button(page, 'More actions for A paper boat in the rain').click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No tasks yet')).toBeVisible()
})

test('a request that is sent twice is one task, and whoever types on meanwhile keeps the next one', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await signIn(page, gateway, user, 1)
  let release = () => {}
  const mayResponse = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/v1/videos', async (route) => {
    const response = await route.fetch()
    await mayResponse
    await route.fulfill({ response })
  })
  await page.goto('/task/add')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('The first')
  await page.getByRole('combobox', { name: /^Model/ }).fill('sora-2')
  await page.locator('main form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('The second')
  release()
  await expectToast(page, 'Task submitted. Track it in the list.')
  await expect(button(page, 'Create')).toBeEnabled()
  await expect(page).toHaveURL('/task/add')
  await expect(page.getByRole('textbox', { name: /^Prompt/ })).toHaveValue('The second')
  await button(page, 'Create').click()
  await expect(page).toHaveURL(/\/task\?row=\d+/)
  const createRequests = (await gateway.ask('received', null)).filter(({ method, path }) => method === 'POST' && path === '/v1/videos')
  expect(createRequests.map(({ body }) => JSON.parse(body).prompt)).toEqual(['The first', 'The second'])
})

test('Enter in a field creates nothing, because a task costs quota', async ({ page, gateway }) => {
  await signIn(page, gateway, await studio(gateway), 1)
  await page.goto('/task/add')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('Waves')
  const model = page.getByRole('combobox', { name: /^Model/ })
  await model.fill('sora-2')
  await model.press('Enter')
  // The price comes after a call, so a task request would have been sent by then.
  await expect(page.getByText('$0.40')).toBeVisible()
  await expect(page).toHaveURL('/task/add')
  expect((await gateway.ask('received', null)).filter(({ method }) => method === 'POST')).toEqual([])
})

test('a refusal of the gateway is shown at its field, and what was typed is kept', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'other films', { type: 48, models: 'house-film' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  await button(page, 'Create').click()
  await expect(page.getByText('Describe what to generate')).toBeVisible()
  await expect(page.getByText('Enter a model')).toBeVisible()
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('Waves')
  await page.getByRole('combobox', { name: /^Model/ }).fill('house-film')
  await page.getByRole('textbox', { name: 'Length in seconds' }).fill('7000')
  await button(page, 'Create').click()
  await expect(page.getByText('Invalid parameter: seconds', { exact: true })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Length in seconds' })).toBeFocused()
  await expect(page.getByRole('textbox', { name: /^Prompt/ })).toHaveValue('Waves')
})

test('a failed task shows the whole reason, and can be created again with the same parameters', async ({ page, gateway }) => {
  await signIn(page, gateway, await studio(gateway), 1)
  await create(page, 'A storm')
  const sheet = page.getByRole('dialog', { name: 'A storm' })
  await expect(sheet).toBeVisible()
  const message = 'The prompt was refused by the safety system.'
  await gateway.ask('videos', { status: 'failed', progress: 0, error: { code: 'moderation_blocked', message } })
  await expect(sheet.getByText(message)).toBeVisible({ timeout: 20_000 })
  await expect(sheet.getByText('moderation_blocked')).toBeVisible()
  await sheet.getByRole('link', { name: 'Run again' }).click()
  await expect(page).toHaveURL(/\/task\/add\?from=/)
  await expect(page.getByRole('textbox', { name: /^Prompt/ })).toHaveValue('A storm')
  await expect(page.getByRole('combobox', { name: /^Model/ })).toHaveValue('sora-2')
  await expect(page.getByRole('combobox', { name: 'Length in seconds' })).toHaveText('8')
  await expect(page.getByRole('combobox', { name: 'Size' })).toHaveValue('1280x720')
})

test('a song is created from a description, and plays in its row', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'songs', { type: 45, models: 'suno_music,suno_lyrics' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  await button(page, 'Song').click()
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('A song about rain')
  await button(page, 'Create').click()
  await expect(page.getByRole('dialog', { name: 'A song about rain' })).toBeVisible()
  await gateway.ask('videos', { status: 'completed', progress: 100 })
  await page.keyboard.press('Escape')
  const play = button(page, 'Play: A song about rain')
  await play.click({ timeout: 20_000 })
  await expect(button(page, 'Pause: A song about rain')).toBeVisible()
  // It lasts a second.
  await expect(play).toBeVisible()
  expect(await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime)).toBeGreaterThan(0.9)
})

test('an image is created and seen, and its row of the log leads back to it', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'pictures', { type: 47, models: 'flux-2-pro' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  await button(page, 'Image').click()
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('A lighthouse')
  await page.getByRole('combobox', { name: /^Model/ }).fill('flux-2-pro')
  await expect(page.getByRole('status').filter({ hasText: 'Holds' })).toBeVisible()
  await button(page, 'Create').click()
  const sheet = page.getByRole('dialog', { name: 'A lighthouse' })
  await expect(sheet).toBeVisible()
  await gateway.ask('videos', { status: 'completed', progress: 100 })
  const preview = sheet.getByRole('img')
  await expect(preview).toBeVisible({ timeout: 20_000 })
  await expect.poll(() => preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)

  await sheet.getByRole('link', { name: 'Show in log' }).click()
  await expect(page).toHaveURL(/\/log\?request=/)
  const logged = page.getByRole('table', { name: 'Logs' }).locator('tbody').getByRole('row')
  await expect(logged).toHaveCount(1)
  await logged.first().click()
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^task_[0-9a-f]{32}$/ })
    .click()
  await expect(page).toHaveURL(/\/task\?id=task_/)
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toContainText('A lighthouse')
})

test('a song that fails is free, and says why', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'songs', { type: 45, models: 'suno_music,suno_lyrics' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add?kind=songs')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('A song about rain')
  await button(page, 'Create').click()
  const sheet = page.getByRole('dialog', { name: 'A song about rain' })
  await expect(sheet.getByText('Estimated cost')).toBeVisible()
  await gateway.ask('videos', { status: 'failed', progress: 0, error: { code: 'FAILURE', message: 'Out of ideas.' } })
  await expect(sheet.getByText('Out of ideas.')).toBeVisible({ timeout: 20_000 })
  await expect(sheet.getByText('Charged')).toBeVisible()
  await expect(sheet.getByText('$0.00')).toBeVisible()
})

test('the form offers what the model takes, shows what it makes by default, and its price before it is sent', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'pictures', { type: 47, models: 'flux-2-flex,flux-video-edit' })
  await makeChannel(gateway, 'other films', { type: 49, models: 'veo-3.1-generate-preview' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  const model = page.getByRole('combobox', { name: /^Model/ })
  const price = page.getByRole('status').filter({ hasText: 'Holds' })
  await model.fill('sora-2')
  await expect(page.getByRole('combobox', { name: 'Length in seconds' })).toHaveText('Default: 4')
  await expect(page.getByRole('combobox', { name: 'Size' })).toHaveAttribute('placeholder', '720x1280')
  await expect(price).toHaveText('Holds $0.40 · 4 seconds · 720x1280')
  await chooseLength(page, '12')
  await expect(price).toHaveText('Holds $1.20 · 12 seconds · 720x1280')

  await model.fill('veo-3.1-generate-preview')
  await expect(page.getByRole('textbox', { name: 'seed' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Length in seconds' }).click()
  await expect(page.getByRole('option')).toHaveText(['Default: 8', '4', '6', '8', '12'])
  await page.getByRole('option', { name: '4', exact: true }).click()
  await page.getByRole('textbox', { name: 'seed' }).fill('7')
  await expect(page.getByRole('textbox', { name: 'negative_prompt' })).toBeVisible()
  await expect(price).toContainText('4 seconds · 1280x720')

  await button(page, 'Image').click()
  await model.fill('flux-2-flex')
  await expect(page.getByRole('textbox', { name: 'Image URLs' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'steps' })).toHaveAttribute('placeholder', '50')
  await expect(page.getByRole('combobox', { name: 'output_format' })).toHaveText('Default: jpeg')
  await expect(price).toContainText('Holds')
  await page.getByRole('textbox', { name: 'steps' }).fill('51')
  await expect(page.getByRole('status').filter({ hasText: 'No price' })).toContainText('steps')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('A boat')
  await button(page, 'Create').click()
  await expect(page.getByRole('textbox', { name: 'steps' })).toBeFocused()
  await expect(page.getByRole('textbox', { name: 'steps' })).toHaveAttribute('aria-invalid', 'true')

  await button(page, 'Video').click()
  await model.fill('flux-video-edit')
  await expect(page.getByText('MP4 file for the model to edit.')).toBeVisible()
  await expect(page.getByText('The price depends on the length of the video.')).toBeVisible()
  await expect(page.getByLabel('Length in seconds')).toHaveCount(0)
})

test('administrators see whose task it is and its channel, and filter by them in the address', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await signIn(page, gateway, user, 1)
  await create(page, 'A lighthouse')
  await expect(page.getByRole('dialog', { name: 'A lighthouse' })).toBeVisible()
  await signIn(page, gateway, gateway.root)
  await page.goto(`/task?user=${user.username}&state=queued`)
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page).first()).toContainText(user.username)
  await expect(rows(page).first()).toContainText('films')
  await page.goto('/task?user=nobody')
  await expect(rows(page)).toHaveCount(0)
})

test('the suggested models are those that make what is chosen', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'songs', { type: 45, models: 'suno_music,suno_lyrics' })
  await makeChannel(gateway, 'chats', { models: 'gpt-4o' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  const suggested = () =>
    page
      .getByRole('combobox', { name: /^Model/ })
      .evaluate((field: HTMLInputElement) => [...(field.list?.options ?? [])].map(({ value }) => value))
  await expect.poll(suggested).toEqual(['sora-2', 'sora-2-pro'])
  await button(page, 'Song').click()
  await expect.poll(suggested).toEqual(['suno_lyrics', 'suno_music'])
})

test('a refused token gets the focus, and can be exchanged for another', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await gateway.ask('tokens', { owner: user, names: ['spare'] })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  const token = page.getByRole('combobox', { name: /^Token/ })
  await expect(token).toContainText('spare')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('Waves')
  await page.getByRole('combobox', { name: /^Model/ }).fill('sora-2')
  await gateway.api('/api/token/?status_only=true', { method: 'PUT', body: { id: 2, status: 2 }, as: user })
  await button(page, 'Create').click()
  await expect(token).toBeFocused()
  await expect(token).toHaveAttribute('aria-invalid', 'true')
  await token.click()
  await page.getByRole('option', { name: 'studio' }).click()
  await button(page, 'Create').click()
  await expectToast(page, 'Task submitted. Track it in the list.')
})

test('whoever has no token is led to the form of one', async ({ page, gateway }) => {
  await signIn(page, gateway, await gateway.ask('user', {}), 1)
  await page.goto('/task/add')
  await expect(page.getByText('No token is enabled')).toBeVisible()
  await page.getByRole('link', { name: 'New token' }).click()
  await expect(page).toHaveURL('/token/add')
})

test('a completed video is remixed and extended from its sheet, by a button only, with the price before', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await gateway.ask('tokenRow', { id: 1, remain_quota: 10_000_000 })
  await signIn(page, gateway, user, 1)
  await create(page, 'A paper boat')
  const sheet = page.getByRole('dialog', { name: 'A paper boat' })
  await expect(sheet).toBeVisible()
  await expect(sheet.getByRole('link', { name: 'Remix' })).toHaveCount(0)
  await gateway.ask('videos', { status: 'completed', progress: 100 })
  await sheet.getByRole('link', { name: 'Remix' }).click({ timeout: 20_000 })
  await expect(page.getByRole('heading', { name: 'Remix a video' })).toBeVisible()
  await expect(page.getByRole('combobox', { name: /^Model/ })).toHaveCount(0)
  await expect(page.getByLabel('Length in seconds')).toHaveCount(0)
  const price = page.getByRole('status').filter({ hasText: 'Holds' })
  await expect(price).toHaveText('Holds $0.80 · 8 seconds · 1280x720')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('At night')
  expect(await paramSetsOf(gateway)).toHaveLength(1)
  await button(page, 'Create').click()
  await expect(page.getByRole('dialog', { name: 'At night' })).toBeVisible()
  await gateway.ask('videos', { status: 'completed', progress: 100 })
  const remixed = page.getByRole('dialog', { name: 'At night' })
  await expect(remixed.getByRole('link', { name: 'Remix' })).toBeVisible({ timeout: 20_000 })
  await remixed.getByRole('button', { name: 'More actions for At night' }).click()
  await page.getByRole('menuitem', { name: 'Extend' }).click()
  await chooseLength(page, '12')
  await expect(price).toHaveText('Holds $1.20 · 12 seconds · 1280x720')
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('It sails on')
  await button(page, 'Create').click()
  await expect(page.getByRole('dialog', { name: 'It sails on' })).toBeVisible()
  expect((await paramSetsOf(gateway)).slice(1)).toEqual([
    ['/v1/videos/video-1/remix', { prompt: 'At night' }],
    ['/v1/videos/extensions', { prompt: 'It sails on', video: { id: 'video-2' }, seconds: '12' }],
  ])
})

/** The upstream task requests. */
async function paramSetsOf(gateway: Gateway): Promise<ReadonlyArray<readonly [path: string, body: object]>> {
  const posts = (await gateway.ask('received', null)).filter(({ method }) => method === 'POST')
  return posts.map(({ path, body }) => [path, JSON.parse(body)])
}

test('words of a song are created by their own call', async ({ page, gateway }) => {
  await signIn(page, gateway, await studio(gateway), 1)
  await makeChannel(gateway, 'songs', { type: 45, models: 'suno_music,suno_lyrics' })
  await page.goto('/task/add?kind=songs')
  await expect(page.getByRole('textbox', { name: 'Style' })).toBeVisible()
  await page.getByRole('combobox', { name: /^Model/ }).fill('suno_lyrics')
  await expect(page.getByRole('textbox', { name: 'Style' })).toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: 'Holds' })).toBeVisible()
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('Words about rain')
  await button(page, 'Create').click()
  await expect(page.getByRole('dialog', { name: 'Words about rain' })).toBeVisible()
  expect((await paramSetsOf(gateway)).map(([path]) => path)).toEqual(['/suno/submit/LYRICS'])
})

test('the price of a video that is sent along depends on its file', async ({ page, gateway }) => {
  const user = await studio(gateway)
  await makeChannel(gateway, 'edits', { type: 47, models: 'flux-video-edit' })
  await signIn(page, gateway, user, 1)
  await page.goto('/task/add')
  await page.getByRole('combobox', { name: /^Model/ }).fill('flux-video-edit')
  await expect(page.getByText('The price depends on the length of the video.')).toBeVisible()
  const file = { name: 'cat.mp4', mimeType: 'video/mp4', buffer: Buffer.from(mp4Of({ seconds: 4.5, width: 1280, height: 720 })) }
  await page.locator('input[type=file]').setInputFiles(file)
  await expect(page.getByRole('status').filter({ hasText: 'Holds' })).toContainText('5 seconds')
})

for (const { lang, badge, retry } of [
  { lang: 'en', badge: 'Unreadable', retry: 'Run again' },
  { lang: 'zh', badge: '无法读取', retry: '再次生成' },
] as const)
  test(`a task whose stored parts cannot be read is marked, and cannot be created again: ${lang}`, async ({ page, gateway }) => {
    const user = await gateway.ask('user', {})
    const row = {
      userId: user.id,
      channelId: 0,
      kind: 'videos',
      model: 'sora-2',
      state: 'completed',
      quota: 5,
      createdAt: 1_760_000_000,
    } as const
    await gateway.ask('tasks', [
      { ...row, prompt: 'Sealed elsewhere', isUnreadable: true },
      { ...row, prompt: 'A readable boat', createdAt: 1_760_000_009 },
    ])
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
    await signIn(page, gateway, user, 1)
    await page.goto('/task')
    const list = page.getByRole('table').locator('tbody').getByRole('row')
    await expect(list).toHaveCount(2)
    await expect(list.nth(0)).not.toContainText(badge)
    await expect(list.nth(1)).toContainText(badge)
    await expectAccessible(page)
    const sheet = page.getByRole('dialog')
    await page.goto('/task?row=2')
    await expect(sheet.getByText(retry)).toHaveCount(1)
    await page.goto('/task?row=1')
    await expect(sheet).toContainText(badge)
    await expect(sheet.getByText(retry)).toHaveCount(0)
    await expectAccessible(page)
  })
