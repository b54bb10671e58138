import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// The console may be published below a path, which the router adds to its links. Everything else that leaves the router must add it itself:
// `withBasePath` for pages and files, `gatewayAddress` and `gatewayPath` for calls.

const rootedPaths: readonly RegExp[] = [
  /history\.(?:push|replace)\((?!withBasePath\()/,
  /\b(?:href|src|action)=\{?["'`]\/(?!\/)/,
  /\b(?:open|fetch|assign|replace)\(["'`]\/(?:\w|\$)/,
  /["'`]\/[\w/-]+\.(?:png|svg|js|css|woff2?)["'`]/,
  /location\.origin\}\/\w/,
  /\)\.href\b(?!\s*=)/,
]
/** Where the base path is added, and an address that is not of this server. */
const allowed: readonly string[] = ["withBasePath('/logo.png')", 'new URL(']

function rootedIn(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const rest = allowed.reduce((shorter, part) => shorter.replaceAll(part, ''), line)
    return rootedPaths.some((pattern) => pattern.test(rest)) ? [`${path}:${index + 1}: ${line.trim()}`] : []
  })
}

test('no address in the console begins at the root of the host', () => {
  const folder = join(import.meta.dir, '../apps/console/src')
  const files = [...new Bun.Glob('**/*.{ts,tsx}').scanSync(folder)].filter((file) => !file.includes('.test.'))
  expect(files.length).toBeGreaterThan(300)
  expect(files.flatMap((file) => rootedIn(file, readFileSync(join(folder, file), 'utf8')))).toEqual([])
})

test.each([
  "router.history.push('/login')",
  '<a href="/setting">',
  '<a href={`/setting?tab=${tab}`}>',
  "open('/api/docs', '_blank')",
  "<img src={logo || '/logo.png'} />",
  '`${location.origin}/register?aff=${code}`',
  "open(router.buildLocation(link).href, '_blank')",
])('%s is found', (text) => expect(rootedIn('a.tsx', text)).toHaveLength(1))
