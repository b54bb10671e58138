import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  for (const name of ['third', 'second', 'first'])
    await gateway.api('/api/token/', { method: 'POST', body: { name, remain_quota: 500_000 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  await expect(page.locator('[data-row]')).toHaveCount(3)
})

test('moves through rows, selects them and runs their actions', async ({ page }) => {
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(page.locator('[data-row]').nth(1)).toBeFocused()
  await page.keyboard.press('x')
  await expect(page.getByRole('region', { name: 'Actions for selected rows' })).toContainText('1 selected')
  await page.keyboard.press('k')
  await expect(page.locator('[data-row]').nth(0)).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(page.getByRole('alertdialog', { name: 'Delete token first?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toBeHidden()
  await expect(page.locator('[data-row]')).toHaveCount(3)
  await page.locator('[data-row]').nth(2).focus()
  await page.keyboard.press('e')
  await expect(page).toHaveURL('/token/edit/1')
})

test('refreshes, searches and opens a new token from anywhere on the page', async ({ page }) => {
  const listRequest = page.waitForRequest('**/api/token/?*')
  await page.keyboard.press('r')
  await listRequest
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  // Inside a field, keys are text and no shortcuts.
  await page.keyboard.type('n?')
  await expect(page.getByRole('searchbox')).toHaveValue('n?')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('searchbox')).toHaveValue('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await expect(page).toHaveURL('/token/add')
})

test('lists the shortcuts, and ignores single keys when they are switched off', async ({ page }) => {
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toContainText('Next or previous row')
  // Those of this page only: tokens can be copied and deleted, but not tested, and have no filters.
  for (const text of ['Search this list', 'New entry', 'Edit', 'Copy', 'Delete', 'Select', 'Go to Channels'])
    await expect(help).toContainText(text)
  for (const text of ['Test', 'Go to filters', 'Save form']) await expect(help).not.toContainText(text)
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await page.keyboard.press('n')
  await page.keyboard.press('?')
  await expect(help).toBeHidden()
  await expect(page).toHaveURL('/token')
  await page.reload()
  await expect(page.locator('[data-row]')).toHaveCount(3)
  await page.keyboard.press('?')
  await expect(help).toBeHidden()
  // The menu of the account turns them on again.
  await page.getByRole('button', { name: /^Account menu/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await page.keyboard.press('n')
  await expect(page).toHaveURL('/token/add')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeVisible()
  await page.keyboard.press('?')
  await expect(help).toContainText('Save form')
  await expect(help).not.toContainText('Search this list')
})

test('goes to a page by g and its letter, but not in fields, dialogs or without the right', async ({ page, gateway }) => {
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeVisible()
  const pages = {
    c: '/channel',
    r: '/redemption',
    p: '/topup',
    u: '/user',
    l: '/log',
    s: '/setting',
    d: '/dashboard',
    k: '/task',
    h: '/',
    t: '/token',
  }
  for (const [letter, path] of Object.entries(pages)) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  }
  // The letter after `g` is no key of the list: `c` would copy, `r` would load again.
  await page.keyboard.press('g')
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('gl')
  await expect(page.getByRole('searchbox')).toHaveValue('gl')
  await expect(page).toHaveURL(/token/)

  await signIn(page, gateway, await gateway.ask('user', {}), 1)
  await page.goto('/log')
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await expect(page).toHaveURL('/token')
})

test('reaches the filters and rows of the log', async ({ page, gateway }) => {
  await gateway.ask('logs', [logRow(gateway.root, { content: 'in full' })])
  await page.goto('/log')
  await expect(page.locator('[data-row]')).toHaveCount(1)
  await page.keyboard.press('f')
  // Administrators choose among user, channel, token, ...
  const choice = page.getByRole('dialog', { name: 'Filter' }).getByRole('button', { name: 'Token name' })
  await expect(choice).toBeVisible()
  for (let presses = 0; presses < 8 && !(await choice.evaluate((item) => item === document.activeElement)); presses += 1) {
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Token name' })).toBeFocused()
  await page.keyboard.type('ci')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/log?token=ci')
})

test('reaches everything by Tab in visual order, after a link that skips the menu', async ({ page }) => {
  await page.goto('/token/add')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Tokens' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeFocused()
  await page.keyboard.type('by keyboard alone')
  await page.keyboard.press('Control+s')
  await expectToast(page, 'token created')
  await expect(page.getByRole('button', { name: 'Copy key' })).toBeFocused()
})

test('moves the focus to the heading of a new page, and back to what opened a dialog', async ({ page }) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeFocused()
  await page.getByRole('navigation').getByRole('link', { name: 'Tokens', exact: true }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Tokens' })).toBeFocused()
  const opener = page.getByRole('button', { name: 'More actions for first' })
  await opener.press('Enter')
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
  await expect(page.getByRole('alertdialog').locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toBeHidden()
  await expect(opener).toBeFocused()
})

test('a tooltip stays while the pointer is on it, and Esc closes it', async ({ page }) => {
  await page.getByRole('link', { name: 'Edit first' }).hover()
  const tooltip = page.getByText('Edit first', { exact: true })
  await expect(tooltip).toBeVisible()
  const box = await tooltip.boundingBox()
  if (box === null) throw new Error('the tooltip has no box')
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 })
  await page.clock.install()
  await page.clock.runFor(2_000)
  await expect(tooltip).toBeVisible()
  await page.keyboard.press('Escape')
  await page.clock.runFor(1_000)
  await expect(tooltip).toBeHidden()
})

test('Enter that ends the composition of a character searches nothing and completes no entry', async ({ page }) => {
  const searches: string[] = []
  page.on('request', (request) => (request.url().includes('/api/token/search') ? searches.push(request.url()) : undefined))
  const composed = { key: 'Enter', bubbles: true, cancelable: true, isComposing: true }
  // A stopped clock keeps the search from starting by itself after a pause in typing.
  await page.clock.install()
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)
  const search = page.getByRole('searchbox')
  await search.fill('first')
  await search.dispatchEvent('keydown', composed)
  await expect(page).toHaveURL('/token')
  expect(searches).toEqual([])
  await search.press('Enter')
  await expect(page).toHaveURL('/token?q=first')
  await page.clock.resume()
  await page.goto('/token/add')
  const subnets = page.getByRole('textbox', { name: 'Allowed IP addresses' })
  await subnets.fill('10.0.0.0/8')
  await subnets.dispatchEvent('keydown', composed)
  await expect(page.getByRole('button', { name: 'Remove 10.0.0.0/8' })).toHaveCount(0)
  await subnets.press('Enter')
  await expect(page.getByRole('button', { name: 'Remove 10.0.0.0/8' })).toBeVisible()
})

test('the focused field of a long form is in sight, with a ring, between the top bar and the buttons', async ({ page }) => {
  await page.setViewportSize({ width: 1_000, height: 420 })
  await page.goto('/channel/add')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeVisible()
  await page.getByRole('combobox', { name: 'Type' }).focus()
  const problems: string[] = []
  // The focus leaves the page after its last link.
  while (problems.length < 60 && (problems.length === 0 || problems.at(-1) !== 'the end')) {
    await page.keyboard.press('Tab')
    const problem = await page.evaluate(() => {
      const focused = document.activeElement
      if (focused === null || focused === document.body) return 'the end'
      const { x, y, width, height } = focused.getBoundingClientRect()
      const at = document.elementFromPoint(x + width / 2, y + Math.min(height, innerHeight) / 2)
      const isSeen = at !== null && (focused.contains(at) || at.contains(focused))
      const ring = [focused, focused.parentElement].some((element) => element !== null && getComputedStyle(element).outlineStyle !== 'none')
      return isSeen && ring ? '' : `${focused.outerHTML.slice(0, 120)}: ${isSeen ? 'no ring' : 'covered'}`
    })
    problems.push(problem)
  }
  expect(problems.length).toBeGreaterThan(15)
  expect(problems.slice(0, -1).filter((problem) => problem !== '')).toEqual([])
  expect(problems.at(-1)).toBe('the end')
})

test('an open row leads to the next and the previous one of the page, by button and by key', async ({ page }) => {
  const row = (name: string) => page.locator('[data-row]').filter({ hasText: name })
  await page.goto('/token?sort=-name')
  await expect(page.locator('[data-row]')).toHaveText([/third/, /second/, /first/])
  const sheet = page.getByRole('dialog', { name: /^(?:first|second|third)$/ })
  const isShown = (name: string, place: string) =>
    Promise.all([expect(page.getByRole('dialog', { name })).toBeVisible(), expect(sheet.getByRole('status')).toContainText(place)])
  await row('third').getByText('third', { exact: true }).click()
  await isShown('third', '1 / 3')
  // The name of the row has the whole width of the sheet.
  const [title, whole] = [await sheet.getByRole('heading', { name: 'third' }).boundingBox(), await sheet.boundingBox()]
  expect(title?.width).toBeGreaterThan((whole?.width ?? 0) - 40)
  // The first row has none before it.
  await expect(sheet.getByRole('button', { name: 'Previous row (k)' })).toBeDisabled()
  await page.keyboard.press('k')
  await isShown('third', '1 / 3')
  await sheet.getByRole('button', { name: 'Next row (j)' }).click()
  await isShown('second', '2 / 3')
  await expect(sheet.getByRole('button', { name: 'Next row (j)' })).toBeFocused()
  await page.keyboard.press('j')
  await isShown('first', '3 / 3')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await isShown('second', '2 / 3')
  // A question above the sheet keeps the keys.
  await sheet.getByRole('button', { name: /^More actions for / }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toBeHidden()
  await isShown('second', '2 / 3')
  // The address is the open row's, and Back closes the sheet at once.
  await expect(page).toHaveURL(/row=\d+/)
  await page.goBack()
  await expect(sheet).toBeHidden()
  await expect(page).toHaveURL('/token?sort=-name')
  // The focus is in the row that was open last, from which the keys of rows go on.
  await expect(row('second').locator(':focus')).toHaveCount(1)
  await page.keyboard.press('j')
  await expect(row('first')).toBeFocused()
  // A row that the page does not show has no neighbours.
  await page.goto('/token?q=second&row=1')
  await expect(page.getByRole('dialog', { name: 'third' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Next row (j)' })).toHaveCount(0)
})

test('lists the shortcuts over an open row, which stays open, and only those that work there', async ({ page }) => {
  await page.locator('[data-row]').filter({ hasText: 'second' }).getByText('second', { exact: true }).click()
  const sheet = page.getByRole('dialog', { name: 'second' })
  await expect(sheet).toBeVisible()
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toContainText('Next or previous row')
  for (const text of ['New entry', 'Search this list', 'Select', 'Go to Channels', 'Search and commands'])
    await expect(help).not.toContainText(text)
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await expect(sheet).toBeVisible()
})
