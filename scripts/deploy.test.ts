import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readEnv } from '../apps/server/src/env.ts'

const read = (name: string): string => readFileSync(join(import.meta.dir, '..', name), 'utf8')

interface Service {
  readonly profiles?: readonly string[]
  /** `null`: the value of the machine, if it has one. */
  readonly environment?: Readonly<Record<string, string | null>>
  readonly env_file?: readonly { readonly path: string; readonly required: boolean }[]
  readonly entrypoint?: readonly string[]
  readonly depends_on?: Readonly<Record<string, object>>
  readonly volumes?: readonly string[]
  readonly restart?: string
  readonly ports?: readonly string[]
}

const compose = read('compose.yaml')
// Holds: the file is a Compose file.
const { services, volumes } = Bun.YAML.parse(compose) as { services: Record<string, Service>; volumes: object }

test('compose.yaml has two servers with names and volumes of their own behind a balancer, and one server without a profile', () => {
  const withProfile = (name: string): readonly string[] =>
    Object.entries(services).flatMap(([service, { profiles }]) => (profiles === undefined || profiles.includes(name) ? [service] : []))
  expect(withProfile('')).toEqual(['sluice'])
  expect(withProfile('proxy')).toEqual(['sluice', 'proxy'])
  expect(withProfile('postgres')).toEqual(['sluice', 'postgres-settings', 'postgres'])
  expect(withProfile('nodes')).toEqual(['sluice', 'sluice-2', 'balancer', 'postgres-settings', 'postgres'])
  const { sluice: first, 'sluice-2': second } = services
  expect([first?.environment?.['NODE_ID'], second?.environment?.['NODE_ID']]).toEqual(['sluice-1', 'sluice-2'])
  // Without an address the first has a database of its own, which the second must not have too.
  const addresses = [first, second].map((server) => server?.environment?.['DATABASE_URL'])
  expect(addresses).toEqual([null, '${DATABASE_URL:-postgres://DATABASE_URL-is-not-set/sluice}'])
  const others = { NODE_ID: '', DATABASE_URL: '' }
  expect({ ...second?.environment, ...others }).toEqual({ ...first?.environment, ...others })
  expect(second?.ports).toEqual([])
  // A server that is blocked or broken ends itself, and an engine restarts what has ended.
  expect([first?.restart, second?.restart]).toEqual(['unless-stopped', 'unless-stopped'])
  const named = Object.values(services).flatMap((service) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''))
  expect(named.filter((volume) => !volume.startsWith('.')).sort()).toEqual(Object.keys(volumes).sort())
  for (const file of named.filter((volume) => volume.startsWith('.'))) expect(read(file)).not.toBe('')
  // Only variables that the server knows: without their values they are its defaults.
  const names = Object.keys(first?.environment ?? {}).filter((name) => !read('docs/variables.md').includes(`| \`${name}\``))
  expect(names).toEqual([])
})

test('compose.yaml passes every variable of .env, and publishes the server on this machine only', () => {
  for (const server of [services['sluice'], services['sluice-2']]) {
    expect(server?.env_file).toEqual([{ path: '.env', required: false }])
    // Otherwise they would be those of the machine, which .env may set for Compose itself.
    expect(server?.environment).toMatchObject({ PORT: '3000', HOST: '0.0.0.0', DATA_DIR: '/data' })
  }
  expect(services['sluice']?.ports).toEqual(['${PORT:-127.0.0.1:3000}:3000'])
  expect(services['proxy']?.ports).toEqual(['80:80', '443:443'])
  // Variables are replaced before profiles are looked at: one that is needed in a profile would be needed always.
  expect(compose.replaceAll(/^ *#.*$/gm, '')).not.toMatch(/\$\{\w+:?\?/)
})

test('the profiles with PostgreSQL do not start without its address and its password', () => {
  expect(services['postgres']?.depends_on).toEqual({ 'postgres-settings': { condition: 'service_completed_successfully' } })
  expect(services['sluice']?.depends_on).toMatchObject({ postgres: { condition: 'service_healthy', required: false } })
  const { entrypoint = [], environment = {} } = services['postgres-settings'] ?? {}
  expect(environment).toEqual({ DATABASE_URL: '${DATABASE_URL:-}', POSTGRES_PASSWORD: '${POSTGRES_PASSWORD:-}' })
  const run = (env: Record<string, string>) => {
    const { exitCode, stderr } = Bun.spawnSync([...entrypoint.map((word) => word.replaceAll('$$', '$'))], { env, stderr: 'pipe' })
    return [exitCode, stderr.toString()]
  }
  const both = { DATABASE_URL: 'postgres://sluice:$(false)"@postgres/sluice', POSTGRES_PASSWORD: 'a b' }
  expect(run(both)).toEqual([0, ''])
  for (const name of Object.keys(both)) expect(run({ ...both, [name]: '' })).toEqual([1, `Set ${name}: compose.yaml says how.\n`])
})

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Container {
  readonly securityContext: object
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
}

interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string }
    readonly template?: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly securityContext: object
        readonly volumes: readonly { readonly name: string; readonly emptyDir?: object }[]
        readonly containers: readonly Container[]
      }
    }
  }
}

test('the Kubernetes resources give a server more time to end than it takes, and scale the set that they make', () => {
  // Holds: the file has resources of Kubernetes.
  const resources = Bun.YAML.parse(read('deploy/kubernetes.yaml')) as readonly Resource[]
  expect(resources.map(({ kind }) => kind)).toEqual(['Service', 'Service', 'StatefulSet', 'PodDisruptionBudget', 'HorizontalPodAutoscaler'])
  const [, , set, , scaler] = resources
  expect(scaler?.spec.scaleTargetRef).toMatchObject({ kind: 'StatefulSet', name: set?.metadata.name })
  const { containers = [], terminationGracePeriodSeconds = 0 } = set?.spec.template?.spec ?? {}
  const variables = Object.fromEntries((containers[0]?.env ?? []).map(({ name, value }) => [name, value]))
  const { shutdownDelayMs, shutdownGraceMs } = readEnv(variables)
  expect([containers[0]?.livenessProbe.httpGet.path, containers[0]?.readinessProbe.httpGet.path]).toEqual(['/livez', '/readyz'])
  expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(shutdownDelayMs + shutdownGraceMs)
})

test('the pods of Kubernetes run under any user and on a read-only file system', () => {
  // Holds: the file has resources of Kubernetes.
  const [, , set] = Bun.YAML.parse(read('deploy/kubernetes.yaml')) as readonly Resource[]
  const pod = set?.spec.template?.spec
  const [container] = pod?.containers ?? []
  // A user or a group of ours is refused where the platform chooses them.
  expect(pod?.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container?.volumeMounts).toEqual([
    { name: 'data', mountPath: '/data' },
    { name: 'tmp', mountPath: '/tmp' },
  ])
  expect(pod?.volumes).toEqual([
    { name: 'data', emptyDir: {} },
    { name: 'tmp', emptyDir: {} },
  ])
})

test('the folder of the image can be written by its user and by group 0', () => {
  expect(read('Dockerfile')).toContain('COPY --from=build --chown=65532:0 --chmod=775 /data /data\nUSER 65532:65532\n')
})

describe('the unit of systemd', () => {
  const unit = read('deploy/sluice.service')
  const settingOf = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

  test('gives a server more time to end than it takes, and signals only its first process', () => {
    const { shutdownDelayMs, shutdownGraceMs } = readEnv({})
    expect(Number(settingOf('TimeoutStopSec')) * 1000).toBeGreaterThan(shutdownDelayMs + shutdownGraceMs)
    // Workers would get the signal twice, and end at once at the second.
    expect(settingOf('KillMode')).toBe('mixed')
    expect(settingOf('Environment')).toBe('DATA_DIR=/var/lib/sluice')
  })

  test.if(Bun.which('systemd-analyze') !== null)('is accepted by systemd', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-unit-'))
    const path = join(folder, 'sluice.service')
    writeFileSync(path, unit.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath}`))
    const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', path], { stderr: 'pipe' })
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
    rmSync(folder, { recursive: true })
  })
})
