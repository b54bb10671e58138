import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runServer, startServer } from './server-process.ts'

// Where a server process gets its variables from: files with secrets, files of variables, and names that are probably misspelled.

const folder = mkdtempSync(join(tmpdir(), 'sluice-variables-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const main = join(import.meta.dir, '../src/main.ts')
/** The server as started manually, with these arguments. */
const program = (...args: readonly string[]): readonly string[] => [process.execPath, '--no-orphans', '--no-env-file', main, ...args]

let files = 0
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `file-${++files}`)
  writeFileSync(path, content)
  return path
}

let folders = 0
const newDataDir = (): string => join(folder, `data-${++folders}`)

const password = 'a password from a file'

/** Starts a server, logs in as root, and stops it. @returns whether the login succeeded, and what the server printed */
async function logInAt(variables: Readonly<Record<string, string>>, started?: readonly string[]) {
  const server = await startServer(variables, started)
  const response = await fetch(`${server.url}/api/user/login`, { method: 'POST', body: JSON.stringify({ username: 'root', password }) })
  // Holds: the management API responds in its envelope.
  const { success } = (await response.json()) as { readonly success: boolean }
  server.signal('SIGTERM')
  await server.exited
  return { success, printed: server.printed() }
}

describe('a secret in a file', () => {
  test('counts like the variable, without the line break at its end, for the server and its commands', async () => {
    const dataDir = newDataDir()
    const variables = {
      DATA_DIR: dataDir,
      INITIAL_ROOT_PASSWORD_FILE: fileOf(`${password}\n`),
      SLUICE_SECRET_FILE: fileOf('a master key in a file\r\n'),
    }
    expect((await logInAt(variables)).success).toBe(true)
    // Nothing but the secret opens what the server has sealed.
    const verified = await runServer(['admin', 'rotate-secret', '--yes'], {
      ...variables,
      SLUICE_SECRET_NEXT_FILE: fileOf('the next master key\n'),
    })
    expect([verified.code, verified.text]).toEqual([0, expect.any(String)])
  }, 60_000)

  test('may come from a pipe, in parts', async () => {
    const pipe = join(folder, 'filled-pipe')
    Bun.spawnSync(['mkfifo', pipe])
    const writer = Bun.spawn(['sh', '-c', `(printf 'a password '; sleep 0.2; printf 'from a file') > '${pipe}'`])
    const { success } = await logInAt({ DATA_DIR: newDataDir(), INITIAL_ROOT_PASSWORD_FILE: pipe })
    expect(success).toBe(true)
    await writer.exited
  }, 60_000)

  test.each([
    ['SLUICE_SECRET', 'a master key that is set twice'],
    ['DATABASE_URL', 'postgres://user:hidden@host/db'],
  ])('and in the variable %s too is refused', async (name, value) => {
    const { code, text } = await runServer([], { DATA_DIR: newDataDir(), [name]: value, [`${name}_FILE`]: fileOf(value) })
    expect([code, text]).toEqual([1, expect.stringContaining(`${name} and ${name}_FILE are both set; set one of them`)])
    expect(text).not.toContain(value)
  })

  test('that cannot be read is refused by name and path, never with its content', async () => {
    mkdirSync(join(folder, 'nested'), { recursive: true })
    const pipe = join(folder, 'pipe')
    Bun.spawnSync(['mkfifo', pipe])
    const cases = [
      [join(folder, 'missing'), 'does not exist'],
      [join(folder, 'nested'), 'is a folder'],
      [fileOf(' \n'), 'is empty'],
      [fileOf('hidden'.repeat(20_000)), 'has more than 65536 bytes'],
      [fileOf('hidden in the first line\nhidden in the second\n'), 'has several lines; it must contain the value only'],
      [fileOf(Buffer.from('\ufeffhidden but wide', 'utf16le')), 'is not text in UTF-8 (editors of Windows may write UTF-16)'],
      [pipe, 'is empty'],
    ] as const
    for (const [path, reason] of cases) {
      const { code, text } = await runServer([], { DATA_DIR: newDataDir(), METRICS_TOKEN_FILE: path })
      expect([code, text]).toEqual([1, expect.stringContaining(`METRICS_TOKEN_FILE names ${path}, which ${reason}`)])
      expect(text).not.toContain('hidden')
    }
  }, 60_000)

  test('is refused by each command', async () => {
    for (const words of [['verify'], ['healthcheck'], ['doctor'], ['admin', 'list-users'], ['import', 'x']]) {
      const result = await runServer(words, { DATA_DIR: newDataDir(), DATABASE_URL_FILE: join(folder, 'missing') })
      expect([words, result.code, result.text]).toEqual([words, 1, expect.stringContaining('DATABASE_URL_FILE names')])
    }
  }, 60_000)
})

describe('a file of variables', () => {
  let hostile: string
  beforeAll(() => {
    hostile = join(folder, 'hostile')
    mkdirSync(hostile)
    writeFileSync(join(hostile, '.env'), 'INITIAL_ROOT_PASSWORD=a password of another program\nLOG_LEVEL=nonsense\n')
  })

  test('is the one that --env-file names; what the environment has wins, and the start says which file it is', async () => {
    const path = fileOf(`# a comment\nINITIAL_ROOT_PASSWORD="${password}"\nDATA_DIR=${join(folder, 'not-here')}\n`)
    for (const args of [['--env-file', path], [`--env-file=${path}`]]) {
      const { success, printed } = await logInAt({ DATA_DIR: newDataDir() }, program(...args))
      expect(success).toBe(true)
      expect(printed).toContain(`Variables not set in the environment are read from ${path}`)
    }
  }, 60_000)

  test('counts for commands, before or behind their name', async () => {
    const dataDir = newDataDir()
    const path = fileOf(`DATA_DIR=${dataDir}\n`)
    const server = await startServer({ INITIAL_ROOT_PASSWORD: password }, program('--env-file', path))
    server.signal('SIGTERM')
    await server.exited
    for (const args of [
      ['admin', '--env-file', path, 'list-users'],
      ['--env-file', path, 'admin', 'list-users'],
    ]) {
      const { code, text } = await runServer([], {}, program(...args))
      expect([code, text]).toEqual([0, expect.stringContaining('\troot\t')])
    }
  }, 60_000)

  test('that is missing is refused', async () => {
    const { code, text } = await runServer([], {}, program('--env-file', join(folder, 'missing')))
    expect([code, text]).toEqual([1, expect.stringContaining(`--env-file names "${join(folder, 'missing')}", which does not exist`)])
  })

  test('in the folder that the server is started in is not read', async () => {
    const started = ['sh', '-c', `cd '${hostile}' && exec "$@"`, 'sh', ...program()]
    const { success, printed } = await logInAt({ DATA_DIR: newDataDir(), INITIAL_ROOT_PASSWORD: password }, started)
    expect(success).toBe(true)
    expect(printed).not.toContain(hostile)
  }, 60_000)
})

test('variables that are probably misspelled are named with the nearest one, and those of Kubernetes are not', async () => {
  const links = {
    ...{
      SLUICE_PORT: 'tcp://10.0.0.1:3000',
      SLUICE_SERVICE_HOST: '10.0.0.1',
      SLUICE_SERVICE_PORT: '3000',
      SLUICE_SERVICE_PORT_HTTP: '3000',
    },
    ...{ SLUICE_PORT_3000_TCP: 'tcp://10.0.0.1:3000', SLUICE_PORT_3000_TCP_ADDR: '10.0.0.1', SLUICE_PORT_3000_TCP_PROTO: 'tcp' },
    ...{ SLUICE_POSTGRES_PORT: 'tcp://10.0.0.2:5432', SLUICE_POSTGRES_SERVICE_PORT: '5432', BACKUP_PORT: 'tcp://10.0.0.3:1' },
  }
  const others = {
    HOSTNAME: 'x',
    NODE_IP: '10.0.0.1',
    NODE_NAME: 'y',
    FTP_PROXY: 'z',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    SSL_CERT_DIR: '/',
  }
  const wrong = {
    TRUSTED_PROXY: '10.0.0.0/8',
    INITIAL_ROOT_PASWORD: 'hidden',
    SLUICE_SECRETS: 'hidden',
    LOG_LEVEL_FILE: '/hidden',
    WORKER: '2',
    NODE_IDS: 'hidden',
    PORTT: '1',
    BACKUP_INTERVAL: '24h',
    DATABASE_MIGRATION_URL: 'postgres://hidden@host/db',
    SQL_DSN: 'hidden',
  }
  const { printed } = await logInAt({ DATA_DIR: newDataDir(), INITIAL_ROOT_PASSWORD: password, ...links, ...others, ...wrong })
  const warnings = printed.split('\n').flatMap((line) => /"msg":"(\w+ (?:is not a variable|has no effect).*?)"/.exec(line)?.[1] ?? [])
  expect(warnings.toSorted()).toEqual([
    'BACKUP_INTERVAL is not a variable of Sluice',
    'DATABASE_MIGRATION_URL is not a variable of Sluice',
    'INITIAL_ROOT_PASWORD is not a variable of Sluice; did you mean INITIAL_ROOT_PASSWORD?',
    'LOG_LEVEL_FILE has no effect: LOG_LEVEL holds no secret and is not read from a file',
    'NODE_IDS is not a variable of Sluice; did you mean NODE_ID?',
    'PORTT is not a variable of Sluice; did you mean PORT?',
    'SLUICE_SECRETS is not a variable of Sluice; did you mean SLUICE_SECRET?',
    'SQL_DSN is not a variable of Sluice; did you mean DATABASE_URL?',
    'TRUSTED_PROXY is not a variable of Sluice; did you mean TRUSTED_PROXIES?',
    'WORKER is not a variable of Sluice; did you mean WORKERS?',
  ])
  expect(printed).not.toContain('hidden')
}, 60_000)

describe('a file of certificate authorities', () => {
  test('is trusted, also where a file of variables names it', async () => {
    const fixture = (name: string): string => join(import.meta.dir, 'fixtures', name)
    const certificate = fixture('localhost-certificate.pem')
    const releases = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      tls: { cert: Bun.file(certificate), key: Bun.file(fixture('localhost-key.pem')) },
      fetch: () => Response.json({ tag_name: 'v9', body: '' }),
    })
    const accessToken = 'a token for the test of authorities'.padEnd(40, 'x')
    const variables = {
      RELEASES_URL: `https://localhost:${releases.port}/latest`,
      INITIAL_ROOT_PASSWORD: password,
      INITIAL_ROOT_ACCESS_TOKEN: accessToken,
    }
    const lastTag = async (started: readonly string[]): Promise<string> => {
      const server = await startServer({ ...variables, DATA_DIR: newDataDir() }, started)
      const response = await fetch(`${server.url}/api/option/release`, { headers: { authorization: accessToken } })
      server.signal('SIGTERM')
      await server.exited
      return await response.text()
    }
    expect(await lastTag(program())).not.toContain('v9')
    expect(await lastTag(program('--env-file', fileOf(`NODE_EXTRA_CA_CERTS=${certificate}\n`)))).toContain('v9')
    await releases.stop(true)
  }, 60_000)

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])(
    'that %s names is refused if it is missing or holds no certificate',
    async (name) => {
      for (const [path, reason] of [
        [join(folder, 'missing.pem'), 'does not exist'],
        [fileOf('no certificate'), 'contains no PEM certificate'],
        [fileOf('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'), 'contains no PEM certificate'],
      ] as const) {
        const { code, text } = await runServer([], { DATA_DIR: newDataDir(), [name]: path })
        expect([code, text]).toEqual([1, expect.stringContaining(`${name} names ${path}, which ${reason}`)])
      }
    },
    60_000,
  )
})

test('an address of a proxy that is none is refused without its password, and an unreadable entry of NO_PROXY is named', async () => {
  const refused = await runServer([], { DATA_DIR: newDataDir(), HTTPS_PROXY: 'https://ann:hidden@proxy.example' })
  expect([refused.code, refused.text]).toEqual([1, expect.stringContaining('HTTPS_PROXY must be an address like')])
  expect(refused.text).not.toContain('hidden')
  const { printed } = await logInAt({ DATA_DIR: newDataDir(), INITIAL_ROOT_PASSWORD: password, no_proxy: 'a.example,http://b.example' })
  expect(printed).toContain('NO_PROXY holds \\"http://b.example\\"')
}, 60_000)
