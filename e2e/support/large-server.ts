import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test as base, expect, type Page } from '@playwright/test'
import { createWaits, type Waits } from './waits.ts'

/** A server whose database has a large log. */
export interface LargeServer {
  readonly url: string
  readonly rootPassword: string
  readonly username: string
  readonly userPassword: string
}

const root = join(import.meta.dirname, '../..')

/** Filling the database takes its time. */
const seedMs = 20 * 60_000

/** A test on the server of all tests. What its page waits for is counted. */
export const test = base.extend<{ readonly counted: null }, { readonly server: LargeServer; readonly waits: Waits }>({
  waits: [
    async ({ browserName: _ }, use) => {
      const waits = createWaits()
      await use(waits)
      waits.write()
    },
    { scope: 'worker' },
  ],
  counted: [
    async ({ page, waits }, use) => {
      waits.watch(page)
      await use(null)
    },
    { auto: true },
  ],
  server: [
    async ({ browserName: _ }, use) => {
      const bun = process.env['BUN_PATH'] ?? join(root, 'node_modules/.bin/bun')
      const args = ['--no-orphans', join(root, 'e2e/support/large-host.ts'), process.env['LARGE_ROWS'] ?? '1000000']
      const child = spawn(bun, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      const [line] = await Promise.race([
        once(createInterface(child.stdout), 'line'),
        exited.then(() => Promise.reject(new Error('the server did not start; see its output above'))),
      ])
      // Holds: the host prints this object.
      await use(JSON.parse(String(line)) as LargeServer)
      child.stdin.end()
      await exited
    },
    { scope: 'worker', timeout: seedMs },
  ],
  baseURL: async ({ server }, use) => use(server.url),
})

export { expect }

export async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/token')
}
