import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSources, processPassword, runServer, startServer } from './server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-listening-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let folders = 0
const usual = () => ({ DATA_DIR: join(folder, `data${folders++}`), INITIAL_ROOT_PASSWORD: processPassword })

const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list)
const lanAddress = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const hasIpv6 = addresses.some(({ address }) => address === '::1')

const hosts = ['0.0.0.0', '0', '127.0.0.1', 'localhost', ...(lanAddress === undefined ? [] : [lanAddress])]
const ipv6Hosts = hasIpv6 ? ['::', '0:0:0:0:0:0:0:0', '::1', '[::1]', '[::]', '::ffff:127.0.0.1'] : []

describe('the exit code of healthcheck and the address that the start prints are right', () => {
  test.each([...hosts, ...ipv6Hosts])(
    'for HOST=%s',
    async (host) => {
      const variables = { ...usual(), HOST: host }
      const server = await startServer(variables)
      const check = () => runServer(['healthcheck'], { ...variables, PORT: String(server.port) })
      expect(await check()).toEqual({ code: 0, text: '' })
      const [, printed = ''] = /running: (\S+)/.exec(server.printed()) ?? []
      expect((await fetch(`${printed}/livez`)).status).toBe(200)
      server.signal('SIGTERM')
      await server.exited
      expect((await check()).code).toBe(1)
    },
    60_000,
  )

  test('for PORT=0, which nobody can ask', async () => {
    const { code, text } = await runServer(['healthcheck'], { ...usual(), PORT: '0' })
    expect(code).toBe(1)
    expect(text).toContain('PORT=0')
  }, 60_000)
})

describe('a server that cannot listen says why', () => {
  const failure = async (variables: Readonly<Record<string, string>>, program = fromSources()) => {
    const { code, text } = await runServer([], { ...usual(), PORT: '4801', ...variables }, program)
    expect(code).toBe(1)
    expect(text).not.toContain('.ts')
    return /Failed to listen at .*/.exec(text)?.[0]
  }

  test('an address that the machine does not have', async () => {
    expect(await failure({ HOST: '203.0.113.1' })).toBe(
      'Failed to listen at 203.0.113.1:4801: this machine has no address 203.0.113.1; HOST=0.0.0.0 listens on all that it has.',
    )
    if (hasIpv6)
      expect(await failure({ HOST: '[2001:db8::1]' })).toStartWith('Failed to listen at [2001:db8::1]:4801: this machine has no address')
  }, 60_000)

  test('a name that has no address', async () => {
    expect(await failure({ HOST: 'sluice.invalid' })).toBe(
      'Failed to listen at sluice.invalid:4801: the name sluice.invalid has no address.',
    )
  }, 60_000)

  test.each(hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'])(
    'a port of %s that is in use',
    async (host) => {
      const other = Bun.listen({ hostname: host, port: 0, socket: { data() {} } })
      expect(await failure({ HOST: host, PORT: String(other.port) })).toEndWith(
        `:${other.port}: port ${other.port} is in use by another program.`,
      )
      other.stop()
    },
    60_000,
  )

  test('a port that this user may not use', async () => {
    const first = Number(
      await Bun.file('/proc/sys/net/ipv4/ip_unprivileged_port_start')
        .text()
        .catch(() => '0'),
    )
    if (process.getuid?.() !== 0 || first === 0) return
    const data = join(folder, 'other-user')
    await Bun.$`mkdir ${data} && chmod 755 ${folder} && chown 65534:65534 ${data}`
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...fromSources()]
    expect(await failure({ DATA_DIR: data, PORT: '1' }, asNobody)).toStartWith(
      `Failed to listen at 127.0.0.1:1: this user may not use port 1;`,
    )
  }, 60_000)
})
