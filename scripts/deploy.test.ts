import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEnv } from '../apps/server/src/env.ts'

const read = (name: string): string => readFileSync(join(import.meta.dir, '..', name), 'utf8')

interface Service {
  readonly profiles?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly restart?: string
  readonly ports?: readonly string[]
}

test('compose.yaml has two servers with names and volumes of their own behind a balancer, and one server without a profile', () => {
  // Holds: the file is a Compose file.
  const { services, volumes } = Bun.YAML.parse(read('compose.yaml')) as { services: Record<string, Service>; volumes: object }
  const withProfile = (name: string): readonly string[] =>
    Object.entries(services).flatMap(([service, { profiles }]) => (profiles === undefined || profiles.includes(name) ? [service] : []))
  expect(withProfile('')).toEqual(['sluice'])
  expect(withProfile('postgres')).toEqual(['sluice', 'postgres'])
  expect(withProfile('nodes')).toEqual(['sluice', 'sluice-2', 'balancer', 'postgres'])
  const { sluice: first, 'sluice-2': second } = services
  expect([first?.environment?.['NODE_ID'], second?.environment?.['NODE_ID']]).toEqual(['sluice-1', 'sluice-2'])
  // Without an address the first has a database of its own, which the second must not have too.
  const addresses = [first, second].map((server) => server?.environment?.['DATABASE_URL'])
  expect(addresses).toEqual(['${DATABASE_URL:-}', '${DATABASE_URL:-postgres://DATABASE_URL-is-not-set/sluice}'])
  const others = { NODE_ID: '', DATABASE_URL: '' }
  expect({ ...second?.environment, ...others }).toEqual({ ...first?.environment, ...others })
  expect(second?.ports).toEqual([])
  // A server that is blocked or broken ends itself, and an engine restarts what has ended.
  expect([first?.restart, second?.restart]).toEqual(['unless-stopped', 'unless-stopped'])
  const named = Object.values(services).flatMap((service) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''))
  expect(named.filter((volume) => !volume.startsWith('.')).sort()).toEqual(Object.keys(volumes).sort())
  // Only variables that the server knows: without their values they are its defaults.
  const given = Object.keys(first?.environment ?? {}).filter((name) => !read('docs/variables.md').includes(`| \`${name}\``))
  expect(given).toEqual([])
})

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Container {
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
