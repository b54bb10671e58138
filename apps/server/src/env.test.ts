import { expect, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import { rateLimits } from '@sluice/contract'
import { EnvError, missingStartVariables, readEnv } from './env.ts'

test('without variables the server starts on port 3000 with its data under data/', () => {
  expect(readEnv({})).toMatchObject({ port: 3000, host: '0.0.0.0', dataDir: 'data', trustedProxies: [], logLevel: 'info' })
})

test('all errors are listed at once', () => {
  const wrong = { PORT: '99999', LOG_LEVEL: 'loud', TRUSTED_PROXIES: '10.0.0.0/8, nonsense', SLUICE_SECRET: 'short', BODY_BYTES_MAX: '-1' }
  try {
    readEnv(wrong)
    throw new Error('was accepted')
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError)
    for (const name of Object.keys(wrong)) expect(String(error)).toContain(name)
  }
})

test('allowed hosts are names in the form of browsers, or any', () => {
  expect(readEnv({}).allowedHosts).toEqual([])
  expect(readEnv({ ALLOWED_HOSTS: 'AI.example.com., bücher.example,sluice' }).allowedHosts).toEqual([
    'ai.example.com',
    'xn--bcher-kva.example',
    'sluice',
  ])
  expect(readEnv({ ALLOWED_HOSTS: '*' }).allowedHosts).toEqual(['*'])
  for (const wrong of ['https://ai.example.com', 'ai.example.com:3000', '*.example.com', 'a b', 'a/b', 'root@a', '-a'])
    expect(() => readEnv({ ALLOWED_HOSTS: `ok.example,${wrong}` })).toThrow(`ALLOWED_HOSTS holds "${wrong}"`)
})

test('the default password is allowed by 1 only', () => {
  expect([readEnv({}), readEnv({ ALLOW_DEFAULT_PASSWORD: '1' })].map((env) => env.allowsDefaultPassword)).toEqual([false, true])
  expect(() => readEnv({ ALLOW_DEFAULT_PASSWORD: 'yes' })).toThrow('ALLOW_DEFAULT_PASSWORD must be 0 or 1')
})

test('the limit of the watchdog is 15 seconds, a time in its range, or none', () => {
  expect(readEnv({}).watchdogMs).toBe(15_000)
  for (const right of [0, 1_000, 600_000]) expect(readEnv({ WATCHDOG_MS: String(right) }).watchdogMs).toBe(right)
  for (const wrong of ['1', '999', '600001', '-1', '15s', '1e4'])
    expect(() => readEnv({ WATCHDOG_MS: wrong })).toThrow('WATCHDOG_MS must be 0')
})

test('a metrics token with characters that no header may have, or a short one, is refused and not printed', () => {
  for (const wrong of ['too-short', 'a token of several words', 'sixteen-and-a-ü-']) {
    expect(() => readEnv({ METRICS_TOKEN: wrong })).toThrow('METRICS_TOKEN')
    expect(() => readEnv({ METRICS_TOKEN: wrong })).not.toThrow(wrong)
  }
  expect(readEnv({ METRICS_TOKEN: 'just-sixteen-16!' }).metricsToken).toBe('just-sixteen-16!')
})

test('traces are sent to the address in OpenTelemetry’s variables, and not sent without them', () => {
  expect(readEnv({}).traces).toEqual({ endpoint: '', headers: {}, serviceName: 'sluice', ratio: 1 })
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/base/',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YTpi , x-scope = one',
    OTEL_SERVICE_NAME: 'ours',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(readEnv(variables).traces).toEqual({
    endpoint: 'https://collector:4318/base/v1/traces',
    headers: { authorization: 'Basic YTpi', 'x-scope': 'one' },
    serviceName: 'ours',
    ratio: 0.25,
  })
  const wrong = [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector-hidden:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hidden'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=hidden%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=hidden%0d%0aline'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', 'all'],
  ] as const
  for (const [name, value] of wrong) {
    expect(() => readEnv({ [name]: value })).toThrow(name)
    expect(() => readEnv({ [name]: value })).not.toThrow('hidden')
  }
})

test('an invalid address of ClickHouse is refused without printing its password', () => {
  for (const wrong of ['clickhouse://u:hidden@host/db', 'http://u:hidden@', 'http://u:hidden@host/a/b', 'http://u:hidden@host/db?x=1']) {
    expect(() => readEnv({ CLICKHOUSE_URL: wrong })).toThrow('CLICKHOUSE_URL')
    expect(() => readEnv({ CLICKHOUSE_URL: wrong })).not.toThrow('hidden')
  }
  for (const right of ['http://localhost:8123', 'https://u:p%40ss@host:8443/usage'])
    expect(readEnv({ CLICKHOUSE_URL: right }).clickHouseUrl).toBe(right)
})

test('an invalid database address is refused without printing its password', () => {
  for (const wrong of [
    'mysql://u:hidden@host/db',
    'postgres://u:hidden@host',
    'postgres:///db',
    'postgres://u:p@hidden/w@host/db',
    'postgres://u:hidden#x@host/db',
    'postgres://u:hid?den@host/db',
    'host=db password=hidden',
    'data/sluice.db',
  ]) {
    expect(() => readEnv({ DATABASE_URL: wrong })).toThrow('DATABASE_URL')
    expect(() => readEnv({ DATABASE_URL: wrong })).not.toThrow('hidden')
  }
  const right = 'postgresql://u:p@host:5433/db?sslmode=require'
  expect(readEnv({ DATABASE_URL: ` ${right} ` }).databaseUrl).toBe(right)
  expect(readEnv({}).databaseUrl).toBe('')
})

test('every value that is given is used, and blank means not given', () => {
  const variables = {
    PORT: ' 8080 ',
    HOST: '::1',
    DATA_DIR: '/data',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    LOG_LEVEL: 'debug',
    SHUTDOWN_GRACE_MS: '5000',
  }
  expect(readEnv(variables)).toMatchObject({ port: 8080, host: '::1', dataDir: '/data', logLevel: 'debug', shutdownGraceMs: 5000 })
  expect(readEnv(variables).trustedProxies).toHaveLength(2)
  expect(readEnv({ PORT: '', DATA_DIR: '  ' })).toMatchObject({ port: 3000, dataDir: 'data' })
})

test('auto means a process for each core on PostgreSQL, and one on SQLite', () => {
  expect(readEnv({ WORKERS: 'auto', DATABASE_URL: 'postgres://host/db' }).workers).toBe(availableParallelism())
  expect(readEnv({ WORKERS: 'auto' }).workers).toBe(1)
})

test('rate limits are those of the table by default, and each can be changed or switched off', () => {
  expect(readEnv({}).rateLimits).toEqual(rateLimits)
  const some = readEnv({ RATE_LIMITS: 'login=120/300, search=off' }).rateLimits
  expect(some).toEqual({ ...rateLimits, login: { count: 120, perSeconds: 300 }, search: null })
  expect(Object.values(readEnv({ RATE_LIMITS: 'off' }).rateLimits)).toEqual(Object.keys(rateLimits).map(() => null))
  for (const wrong of ['login', 'login=0/60', 'login=5/0', 'login=-1/60', 'nonsense=5/60', 'login=5', 'api=off/60', 'toString=5/60'])
    expect(() => readEnv({ RATE_LIMITS: wrong })).toThrow(`RATE_LIMITS holds "${wrong}"`)
})

test('weak secrets are refused', () => {
  for (const [name, value] of [
    ['SLUICE_SECRET', 'fifteen letters'],
    ['INITIAL_ROOT_PASSWORD', '1234567'],
    ['INITIAL_ROOT_ACCESS_TOKEN', 'guessable'],
  ] as const)
    expect(() => readEnv({ [name]: value })).toThrow(name)
})

test('the variable that Bun reads before its start is set once if it is missing', () => {
  const complete = missingStartVariables({ PORT: '8080', EMPTY: undefined })
  expect(complete).toEqual({ PORT: '8080', BUN_CONFIG_MAX_HTTP_REQUESTS: '65336' })
  expect(missingStartVariables(complete ?? {})).toBeNull()
  expect(missingStartVariables({ BUN_CONFIG_MAX_HTTP_REQUESTS: '512' })).toBeNull()
})

test('origins of consoles are taken exactly as browsers send them; anything else is refused', () => {
  expect(readEnv({}).consoleOrigins).toEqual([])
  const variables = { CONSOLE_ORIGINS: 'https://console.example.com, http://localhost:4173' }
  expect(readEnv(variables).consoleOrigins).toEqual(['https://console.example.com', 'http://localhost:4173'])
  const wrong = [
    '*',
    'null',
    'console.example.com',
    'https://console.example.com/',
    'https://*.example.com',
    'https://A.example',
    'file://',
    'https://a:443',
  ]
  for (const origin of wrong) expect(() => readEnv({ CONSOLE_ORIGINS: origin })).toThrow(`CONSOLE_ORIGINS holds "${origin}"`)
})

test('a store for copies of results is configured completely or not at all, and its secret is not repeated', () => {
  const place = { RESULTS_S3_ENDPOINT: 'https://s3.example.com', RESULTS_S3_BUCKET: 'films', RESULTS_S3_ACCESS_KEY_ID: 'id' }
  expect(readEnv({}).resultsS3).toBeNull()
  expect(readEnv({ ...place, RESULTS_S3_SECRET_ACCESS_KEY: 'a secret' }).resultsS3).toEqual({
    endpoint: 'https://s3.example.com',
    bucket: 'films',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 'a secret',
  })
  expect(() => readEnv(place)).toThrow('RESULTS_S3_ENDPOINT needs')
})

test('backups have an interval with a unit, a number and a folder', () => {
  expect(readEnv({}).backups).toBeNull()
  expect(readEnv({ BACKUP_EVERY: '24h', DATA_DIR: '/srv' }).backups).toEqual({ everyMs: 86_400_000, keep: 7, folder: '/srv/backups' })
  const variables = { BACKUP_EVERY: '30m', BACKUP_KEEP: '2', BACKUP_DIR: '/mnt/copies' }
  expect(readEnv(variables).backups).toEqual({ everyMs: 1_800_000, keep: 2, folder: '/mnt/copies' })
  for (const wrong of ['24', '0h', 'daily', '1w', '400d', '-1h']) expect(() => readEnv({ BACKUP_EVERY: wrong })).toThrow('BACKUP_EVERY')
  expect(() => readEnv({ BACKUP_EVERY: '1h', BACKUP_KEEP: '0' })).toThrow('BACKUP_KEEP')
})

test('the host to listen on is an address or a name', () => {
  for (const right of ['0.0.0.0', '::', '[::1]', 'fe80::1%eth0', 'localhost', 'ai.example.com'])
    expect(readEnv({ HOST: right }).host).toBe(right.replace(/[[\]]/g, ''))
  for (const wrong of ['*', 'http://localhost', '0.0.0.0:3000', 'a b', '300.1.1.1'])
    expect(() => readEnv({ HOST: wrong })).toThrow(`not "${wrong}"`)
})

test('variables that have no effect, and proxies that are everybody, are warned of', () => {
  expect(readEnv({ TRUSTED_PROXIES: '10.0.0.0/8', BACKUP_DIR: '/backups', BACKUP_EVERY: '1d' }).warnings).toEqual([])
  for (const [name, value] of Object.entries({
    TRUSTED_PROXIES: '::/0',
    BACKUP_DIR: '/backups',
    BACKUP_KEEP: '3',
    RESULTS_S3_BUCKET: 'results',
  }))
    expect(readEnv({ [name]: value }).warnings).toEqual([expect.stringContaining(name)])
})
