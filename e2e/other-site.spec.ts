import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { expect, expectToast, test } from './support/test.ts'

const root = join(import.meta.dirname, '..')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** A host of static files, as any web server is: unknown paths get the console's page. `localhost` is another site than `127.0.0.1`. */
async function serveFiles(folder: string) {
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? '/', 'http://localhost').pathname)
    const asset = extname(file) !== '' && existsSync(file) ? file : join(folder, 'index.html')
    response.setHeader('content-type', types[extname(asset)] ?? 'application/octet-stream')
    if (existsSync(asset)) createReadStream(asset).pipe(response)
    else response.end('a page')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Holds: a server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo
  return { origin: `http://localhost:${port}`, close: () => server.close() }
}

/** Builds the console for a server at another address. */
async function build(folder: string, gatewayAddress: string): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const built = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn', '--outDir', folder], {
    cwd: join(root, 'apps/console'),
    env: { ...process.env, NODE_ENV: 'production', VITE_SERVER: gatewayAddress },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(built, 'exit')
  expect(code).toBe(0)
}

test.use({ tolerated: /^elsewhere: |blocked by CORS policy|^missing: / })

test('a console on another site logs in, works and logs out, and pages of further sites reach nothing', async ({ page, host }) => {
  // It builds the console first.
  test.slow()
  const folder = await mkdtemp(join(tmpdir(), 'sluice-other-site-'))
  const files = await serveFiles(folder)
  const stranger = await serveFiles(join(folder, 'nothing'))
  const gateway = await host.open({ consoleOrigins: [files.origin] })
  try {
    await build(folder, gateway.url)
    await page.goto(`${files.origin}/token`)
    await expect(page).toHaveURL(/\/login/)
    await page.getByLabel('Username or email').fill(gateway.root.username)
    await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${files.origin}/token`)
    const [cookie] = await page.context().cookies(gateway.url)
    expect(cookie).toMatchObject({ name: '__Host-console-session', sameSite: 'None', secure: true, httpOnly: true })

    await page.goto(`${files.origin}/token/add`)
    await page.getByRole('textbox', { name: /^Name/ }).fill('made on another site')
    await page.getByRole('button', { name: 'Create token' }).click()
    await expectToast(page, 'token created')
    await page.goto(`${files.origin}/token`)
    await expect(page.getByRole('row', { name: /made on another site/ })).toBeVisible()

    await page.goto(`${files.origin}/about`)
    await expect(page.getByRole('link', { name: 'Management API' })).toHaveAttribute('href', `${gateway.url}/api/docs`)
    await expect(page.getByText(`${gateway.url}/v1`)).toBeVisible()

    // A page of another site, in the same browser: the cookie does not help it.
    const ownPage = await page.context().newPage()
    await ownPage.goto(stranger.origin)
    const reached = await ownPage.evaluate(
      (url) =>
        fetch(`${url}/api/user/self`, { credentials: 'include' }).then(
          () => 'reached',
          () => 'refused',
        ),
      gateway.url,
    )
    expect(reached).toBe('refused')
    await ownPage.close()

    await page.getByRole('button', { name: 'Account menu of root' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Log out' }).click()
    await expectToast(page, 'Logout successful!')
    expect(await page.context().cookies(gateway.url)).toEqual([])
    expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
  } finally {
    await gateway.close()
    files.close()
    stranger.close()
    await rm(folder, { recursive: true, force: true })
  }
})
