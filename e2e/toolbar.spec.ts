import { makeChannel } from './support/channels.ts'
import { officeTasks } from './support/office-tasks.ts'
import { expect, signIn, test } from './support/test.ts'

for (const lang of ['en', 'zh']) {
  test(`the tools of each list are one line of a window that is 1440 pixels wide (${lang})`, async ({ page, gateway }) => {
    const channel = await makeChannel(gateway, 'one')
    await gateway.ask('tokens', { owner: gateway.root, names: ['one'] })
    await gateway.ask('tasks', officeTasks([gateway.root], channel, 1_760_000_000))
    await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'one', quota: 1, count: 1 } })
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
    await signIn(page, gateway, gateway.root)
    for (const path of ['/token', '/channel', '/redemption', '/user', '/log', '/task']) {
      await page.goto(path)
      const tools = page.locator('[data-list-tools]')
      await expect(tools).toBeVisible()
      const bottoms = await tools.locator('button, input').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))
      expect(Math.max(...bottoms) - Math.min(...bottoms), path).toBeLessThan(8)
    }
  })
}

test('a list without a row shows the first step alone, and its tools as soon as a filter is set', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const lists = [
    { path: '/token', filter: '?status=2', step: 'New token' },
    { path: '/channel', filter: '?status=2', step: 'New channel' },
    { path: '/redemption', filter: '?status=3', step: 'New codes' },
    { path: '/task', filter: '?state=failed', step: 'New task' },
  ]
  for (const { path, filter, step } of lists) {
    await page.goto(path)
    await expect(page.getByRole('main').getByRole('link', { name: step })).toHaveCount(1)
    await expect(page.locator('[data-list-tools]')).toHaveCount(0)
    await page.goto(`${path}${filter}`)
    await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
    await expect(page.locator('[data-list-tools]')).toBeVisible()
  }
})

test('names of channels have room in a window that is 1440 pixels wide, in each design', async ({ page, gateway }) => {
  await makeChannel(gateway, 'OpenAI, second account of the office in Berlin', { models: 'gpt-4o-mini,gpt-4o', groups: 'default,premium' })
  await signIn(page, gateway, gateway.root)
  await page.goto('/channel')
  const name = page.getByTitle('OpenAI, second account of the office in Berlin', { exact: true })
  for (const design of ['default', 'berry', 'air']) {
    await page.evaluate((chosen) => {
      document.documentElement.dataset['design'] = chosen
    }, design)
    await expect.poll(async () => (await name.boundingBox())?.width ?? 0, design).toBeGreaterThan(140)
  }
})
